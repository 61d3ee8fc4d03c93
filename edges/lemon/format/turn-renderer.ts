/**
 * Streams one turn to the client: compares the turn with what was sent and emits the rest. Only one message per session
 * is open at a time, because clients draw one; other turns wait for the floor.
 */
import type { AgentKind, Json } from "../../../src/protocol/index.ts";
import { describeTurn, isCutOff, type TurnMessage } from "../../../src/transcript/index.ts";
import { changesBetween, isWorthSending } from "./content-changes.ts";
import { newestOf } from "./line-limits.ts";
import { slotsOf, type Slot, type SlotTool } from "./turn-slots.ts";
import {
  asFields,
  assistantMessage,
  resultMessage,
  stopReasonOf,
  toolResult,
  usageStruct,
  contentText,
  type AssistantMessage,
  type Content,
  type Message,
  type ToolResultMessage,
} from "./structs.ts";
import type { WireEvent } from "./wire-event.ts";

/** State shared by the renderers of a session. */
export interface RenderContext {
  /** The renderer with the open message. */
  holder: TurnRenderer | undefined;
  /** Its message has ended; pending lines are sent now. */
  readonly leave: () => void;
  /** Sends a complete message once none is open. */
  readonly emitMessage: (message: Message) => void;
  /** Gives each message a unique timestamp, by which clients identify assistant messages. */
  readonly stampOf: (ts: number) => number;
  readonly emit: (event: WireEvent) => void;
  readonly addToRun: (message: Message) => void;
  readonly speaker: (turn: TurnMessage) => Speaker;
  /** True when no other turn runs: then thinking may take the floor, too. */
  readonly isAlone: () => boolean;
}

export interface Speaker {
  readonly provider: string;
  readonly model: string;
  /** Undefined for an unknown member. */
  readonly kind: AgentKind | undefined;
  readonly heading: string | undefined;
}

interface OpenMessage {
  readonly timestamp: number;
  sent: readonly Content[];
}

interface StartedTool {
  readonly id: string;
  sentArgs: Json;
  sentOutput: string;
  sentDetails: string;
  isEnded: boolean;
}

const COPIED_CHARS_MAX = 2048;

export class TurnRenderer {
  readonly #context: RenderContext;
  readonly #speaker: Speaker;
  #turn: TurnMessage;
  #at = 0;
  #open: OpenMessage | undefined;
  #last: AssistantMessage | undefined;
  #tools: StartedTool[] = [];
  #results: ToolResultMessage[] = [];
  #isTurnOpen = false;
  #isFinished = false;

  constructor(context: RenderContext, turn: TurnMessage) {
    this.#context = context;
    this.#speaker = context.speaker(turn);
    this.#turn = turn;
  }

  get turn(): TurnMessage {
    return this.#turn;
  }

  /** The turn was sent completely, with its end. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Emits what it can. True when it released the floor for others. */
  advance(turn: TurnMessage): boolean {
    this.#turn = turn;
    const hadFloor = this.#context.holder === this;
    const slots = slotsOf(turn, this.#speaker.heading);
    while (this.#step(slots));
    return hadFloor && this.#context.holder === undefined;
  }

  /** One message, or nothing. */
  #step(slots: readonly Slot[]): boolean {
    this.#followTools(slots);
    if (this.#isFinished) return false;
    const slot = slots[this.#at];
    if (this.#open !== undefined) return this.#grow(this.#open, slot ?? this.#emptied());
    if (this.#context.holder !== undefined) return false;
    if (this.#isTurnOver()) this.#endTurn();
    if (slot !== undefined && this.#mayBegin(slot)) {
      this.#begin(slot);
      return true;
    }
    if (slot === undefined && this.#turn.end !== undefined) {
      if (this.#isTurnOpen) this.#endTurn();
      this.#isFinished = true;
    }
    return false;
  }

  /** The text of the open message was retracted. */
  #emptied(): Slot {
    const isEnded = this.#turn.end !== undefined;
    return { content: [], isClosed: isEnded, isFinal: isEnded, ts: this.#turn.ts };
  }

  #mayBegin({ content, isClosed }: Slot): boolean {
    if (isClosed || this.#context.isAlone()) return true;
    const { heading } = this.#speaker;
    return content.slice(heading === undefined ? 0 : 1).some((one) => one.type !== "thinking");
  }

  #begin(slot: Slot): void {
    if (!this.#isTurnOpen) this.#context.emit({ type: "turn_start" });
    this.#isTurnOpen = true;
    this.#context.holder = this;
    this.#open = { timestamp: this.#context.stampOf(slot.ts), sent: [] };
    this.#context.emit({ type: "message_start", data: [this.#message(this.#open, [])] });
  }

  #grow(open: OpenMessage, slot: Slot): boolean {
    if (slot.isClosed || isWorthSending(open.sent, slot.content)) {
      const partial = this.#message(open, slot.content);
      for (const change of changesBetween(open.sent, slot.content)) {
        this.#context.emit({ type: "message_update", data: [partial, [...change, copyOf(partial)]] });
      }
      open.sent = slot.content;
    }
    if (!slot.isClosed) return false;
    this.#end(open, slot);
    return true;
  }

  #end(open: OpenMessage, slot: Slot): void {
    const message = { ...this.#message(open, slot.content), ...this.#ending(slot) };
    this.#open = undefined;
    this.#at += 1;
    this.#last = message;
    this.#context.addToRun(message);
    this.#context.emit({ type: "message_end", data: [message] });
    this.#context.leave();
    const { tool } = slot;
    if (tool === undefined) return;
    const { id, args, details } = tool;
    this.#tools.push({ id, sentArgs: args, sentOutput: "", sentDetails: JSON.stringify(details), isEnded: false });
    this.#context.emit({ type: "tool_execution_start", data: [tool.id, tool.name, asFields(tool.args)] });
  }

  #ending({ isFinal, tool }: Slot): Partial<AssistantMessage> {
    if (!isFinal) return { stop_reason: tool === undefined ? "stop" : "tool_use" };
    const { end, usage } = this.#turn;
    const outcome = end?.outcome ?? "interrupted";
    const { label, why } = describeTurn(this.#turn).end ?? { label: null, why: "" };
    const error = why === "" ? label : why;
    return {
      stop_reason: stopReasonOf(outcome, isCutOff(this.#turn)),
      error_message: error,
      usage: usageStruct(usage),
    };
  }

  #message({ timestamp }: OpenMessage, content: readonly Content[]): AssistantMessage {
    return assistantMessage(this.#speaker, content, timestamp);
  }

  #followTools(slots: readonly Slot[]): void {
    for (const started of this.#tools) {
      if (started.isEnded) continue;
      const tool = slots.find((slot) => slot.tool?.id === started.id)?.tool;
      if (tool === undefined) continue;
      if (tool.settled === undefined) this.#progress(started, tool);
      else this.#settle(started, tool, tool.settled);
    }
  }

  #progress(started: StartedTool, tool: SlotTool): void {
    const details = JSON.stringify(tool.details);
    const hasGrown = tool.output.length - started.sentOutput.length > started.sentOutput.length / 64;
    const isCut = !tool.output.startsWith(started.sentOutput.slice(0, 64));
    // Some agents start a call without arguments and send them later.
    const isSame = details === started.sentDetails && tool.args === started.sentArgs;
    if (!hasGrown && !isCut && isSame) return;
    started.sentArgs = tool.args;
    started.sentOutput = tool.output;
    started.sentDetails = details;
    const { id, name, args, output } = tool;
    const data = [id, name, asFields(args), toolResult(output, tool.details)];
    this.#context.emit({ type: "tool_execution_update", data });
  }

  #settle(started: StartedTool, tool: SlotTool, { isError, ts }: NonNullable<SlotTool["settled"]>): void {
    started.isEnded = true;
    const result = toolResult(tool.output, tool.details);
    const message = resultMessage(tool, result, { isError, timestamp: this.#context.stampOf(ts) });
    this.#results.push(message);
    this.#context.emit({ type: "tool_execution_end", data: [tool.id, tool.name, result, isError] });
    this.#context.emitMessage(message);
  }

  #isTurnOver(): boolean {
    return this.#isTurnOpen && this.#tools.every((tool) => tool.isEnded);
  }

  #endTurn(): void {
    if (this.#last === undefined) return;
    this.#context.emit({ type: "turn_end", data: [this.#last, newestOf(this.#results, this.#last)] });
    this.#isTurnOpen = false;
    this.#tools = [];
    this.#results = [];
  }
}

/** The second copy of an open message in one line; a long one is not repeated. */
function copyOf(partial: AssistantMessage): AssistantMessage {
  const chars = partial.content.reduce((sum, one) => sum + contentText(one).length, 0);
  return chars <= COPIED_CHARS_MAX ? partial : { ...partial, content: [] };
}
