/**
 * Streams one turn to the editor, block by block. Text can only be appended there, so one turn holds the floor until
 * its passage ends, and a name is written whenever the speaker changes.
 */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describeTurn, type Block, type TurnMessage } from "../../../src/transcript/index.ts";
import { callChanges, callOf, type CallState } from "./tool-updates.ts";

export interface RenderContext {
  /** The turn with the open passage. */
  holder: string | undefined;
  /** The last turn with text, and with thinking, since the user's message. */
  readonly last: { text: string | undefined; thinking: string | undefined };
  readonly cwd: string;
  readonly emit: (update: SessionUpdate) => void;
  /** The name to write before a passage; undefined in a session with one member. */
  readonly nameOf: (turn: TurnMessage) => string | undefined;
}

type Passage = Extract<Block, { kind: "text" | "thinking" }>;

const MARKDOWN_BREAK = "\n\n";
/** Every update repeats the whole output, so long output is sent in growing steps. */
const GROWTH = 1 + 1 / 64;

export class TurnRenderer {
  readonly #context: RenderContext;
  readonly #name: string | undefined;
  #at = 0;
  #sent = "";
  #isFinished = false;
  #calls = new Map<string, CallState>();

  constructor(context: RenderContext, turn: TurnMessage) {
    this.#context = context;
    this.#name = context.nameOf(turn);
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Emits what it can. True when it released the floor. */
  advance(turn: TurnMessage): boolean {
    const hadFloor = this.#context.holder === turn.turnId;
    this.#followCalls(turn);
    while (!this.#isFinished && this.#step(turn));
    return hadFloor && this.#context.holder === undefined;
  }

  #step(turn: TurnMessage): boolean {
    const block = turn.blocks[this.#at];
    if (block === undefined) return this.#finish(turn);
    if (block.kind === "text" || block.kind === "thinking") return this.#renderText(turn, block);
    this.#leaveFloor(turn);
    const call = this.#call(turn, block);
    if (call !== undefined) {
      if (call.status === "in_progress") this.#calls.set(call.toolCallId, call);
      this.#context.emit({ sessionUpdate: "tool_call", ...call });
    }
    this.#next();
    return true;
  }

  #renderText(turn: TurnMessage, block: Passage): boolean {
    const { holder } = this.#context;
    if (holder !== undefined && holder !== turn.turnId) return false;
    const isOver = block.done || turn.end !== undefined;
    if (block.text !== this.#sent && block.text !== "") this.#emitText(turn, block);
    if (!isOver) return false;
    this.#leaveFloor(turn);
    this.#next();
    return true;
  }

  #emitText(turn: TurnMessage, { kind, text }: Passage): void {
    const { last, emit } = this.#context;
    const { turnId } = turn;
    this.#context.holder = turnId;
    // Another turn's text came in between. A user message in between does not cut a text in two.
    const isInterrupted = last[kind] !== undefined && last[kind] !== turnId;
    const isBegun = this.#sent !== "" && !isInterrupted;
    const opening = `${last[kind] === undefined ? "" : MARKDOWN_BREAK}${last[kind] === turnId ? "" : this.#heading()}`;
    // Sent text cannot be retracted here; the corrected text follows, set apart.
    const isContinued = text.startsWith(this.#sent);
    const fresh = isContinued ? text.slice(this.#sent.length) : `${MARKDOWN_BREAK}${text}`;
    last[kind] = turnId;
    this.#sent = text;
    const type = kind === "text" ? "agent_message_chunk" : "agent_thought_chunk";
    emit(chunk(type, isBegun ? fresh : `${opening}${fresh}`, turnId));
  }

  #heading(): string {
    return this.#name === undefined ? "" : `**${this.#name}**${MARKDOWN_BREAK}`;
  }

  #finish(turn: TurnMessage): boolean {
    if (turn.end === undefined) return false;
    const ending = this.#endingOf(turn, turn.end);
    if (ending !== undefined) {
      if (this.#context.holder !== undefined && this.#context.holder !== turn.turnId) return false;
      this.#context.emit(chunk("agent_message_chunk", `${MARKDOWN_BREAK}> ${ending}\n`, turn.turnId));
      this.#context.last.text = `${turn.turnId} failed`;
    }
    this.#leaveFloor(turn);
    this.#isFinished = true;
    return false;
  }

  /** Undefined when it was completed, or interrupted by the user. */
  #endingOf(turn: TurnMessage, { outcome, error }: NonNullable<TurnMessage["end"]>): string | undefined {
    const { label = "", why = "" } = describeTurn(turn).end ?? {};
    const who = this.#name ?? turn.member;
    if (outcome === "interrupted") return why === "" ? undefined : `${who} was interrupted: ${why}`;
    const hint = error?.hint === undefined ? "" : ` ${error.hint}`;
    return outcome === "completed" ? undefined : `${who} failed: ${why === "" ? label : why}${hint}`;
  }

  /** Ended calls are skipped. */
  #followCalls(turn: TurnMessage): void {
    if (this.#calls.size === 0) return;
    for (const block of turn.blocks) {
      const before = this.#calls.get(callId(block));
      const now = before === undefined ? undefined : this.#call(turn, block);
      if (before === undefined || now === undefined) continue;
      const isOver = now.status !== "in_progress";
      if (
        !isOver &&
        sizeOf(now) < sizeOf(before) * GROWTH &&
        sizeOf(now) >= sizeOf(before) &&
        before.title === now.title
      )
        continue;
      const changes = callChanges(before, now);
      if (isOver) this.#calls.delete(now.toolCallId);
      else this.#calls.set(now.toolCallId, now);
      if (changes !== undefined) this.#context.emit({ sessionUpdate: "tool_call_update", ...changes });
    }
  }

  #call(turn: TurnMessage, block: Block): CallState | undefined {
    const blockId = `${turn.turnId}/${turn.blocks.indexOf(block)}`;
    const call = callOf(block, { cwd: this.#context.cwd, isOver: turn.end !== undefined, blockId });
    if (call === undefined || this.#name === undefined) return call;
    return { ...call, title: `${this.#name}: ${call.title}` };
  }

  #leaveFloor({ turnId }: TurnMessage): void {
    if (this.#context.holder === turnId) this.#context.holder = undefined;
  }

  #next(): void {
    this.#at += 1;
    this.#sent = "";
  }
}

function callId(block: Block): string {
  if (block.kind === "tool") return block.toolCallId;
  if (block.kind === "exchange") return block.agentExchangeId;
  return block.kind === "subagent" ? block.subagentTurnId : "";
}

function sizeOf({ content }: CallState): number {
  return content.reduce(
    (sum, one) => sum + (one.type === "content" && one.content.type === "text" ? one.content.text.length : 0),
    1,
  );
}

export function chunk(
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  text: string,
  messageId: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: "text", text }, messageId };
}
