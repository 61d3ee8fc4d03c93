/**
 * One running turn: turns agent output into events, in order. `turn_start` is followed by exactly one `turn_end`; every
 * segment, request and tool call is closed before it; nothing is recorded after it.
 */
import type { AgentEvent, CompactedEvent, SubagentEvent, TurnError } from "../../agents/index.ts";
import type { Clock } from "../../kit/clock.ts";
import type { BlobRef, ContextEntry, DeliveryState, EventDraft, Outcome, Usage } from "../../protocol/index.ts";
import { fitEvent, fitEvents } from "../fit-event.ts";
import type { Ledger } from "../ledger.ts";
import { BLOB_WAIT_EVENTS_MAX, BLOB_WAIT_MS, CONTEXT_ENTRY_INLINE_MAX, TURN_OUTPUT_CHARS_MAX } from "../limits.ts";
import { Segments } from "./segments.ts";
import type { ToolResult, Wall } from "./refused-call.ts";
import { ToolCalls, isLargeOutput, shortenResult } from "./tool-calls.ts";

type TurnDone = Extract<AgentEvent, { type: "turn_done" }>;
export type UserRequest = Extract<AgentEvent, { type: "request" }>;

export interface TurnIdentity {
  readonly turnId: string;
  readonly member: string;
  readonly messageIds: readonly string[];
  readonly rootMessageId: string;
  readonly round: number | undefined;
  /** Sender of the root message; an interrupt of "own" turns matches it. */
  readonly clientId: string | undefined;
}

export interface TurnEndFacts {
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly error?: TurnError;
  readonly usage?: Usage;
}

export interface TurnDeps {
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, "append">;
  /** Appends events that may name changed files, and warns when two members change the same one. */
  appendWork(drafts: readonly EventDraft[]): void;
  putBlob(bytes: Uint8Array): Promise<BlobRef>;
  /** The agent has ended the turn. */
  onDone(turn: Turn, done: TurnDone): void;
  onRequest(turn: Turn, request: UserRequest, toolCallId: string | undefined): void;
  onWithdrawn(turn: Turn, callId: string): void;
  onHostCall(turn: Turn, call: Extract<AgentEvent, { type: "host_call" }>): void;
  onSteered(turn: Turn, messageId: string): void;
  /** The member's context was compacted in this turn. */
  onCompacted(turn: Turn, event: CompactedEvent): void;
  /** An event of a subagent of this turn; `toolCallId` is the call that started it. */
  onSubagent(turn: Turn, event: SubagentEvent, toolCallId: string | undefined): void;
  /** Settles open subagent turns, because this turn ends. */
  endSubagents(turn: Turn, end: TurnEndFacts): void;
  /** The turn exceeded its output limit. */
  onOverflow(turn: Turn): void;
  /** Closes the turn's requests in the log. */
  cancelRequests(turn: Turn): void;
  /** What keeps the member from writing; undefined for nothing. */
  wallOf(member: string): Wall | undefined;
}

/** Statuses are transient and do not count as activity. */
const NOT_ACTIVITY: ReadonlySet<AgentEvent["type"]> = new Set([
  "status",
  "retrying",
  "usage",
  "context_update",
  "context_entry",
  "compacted",
  "member_session",
  "member_models",
  "member_guard",
  "steered",
  "turn_done",
  "warning",
]);

export class Turn {
  readonly identity: TurnIdentity;
  isSettled = false;
  readonly #deps: TurnDeps;
  readonly #segments: Segments;
  readonly #tools: ToolCalls;
  readonly #startedMs: number;
  /** Messages that were delivered and not yet shown as being answered. */
  readonly #delivered = new Set<string>();
  readonly #given = new Set<string>();
  #backlog: AgentEvent[] | undefined;
  #outputChars = 0;
  #usage: Usage | undefined;

  constructor(identity: TurnIdentity, deps: TurnDeps) {
    this.identity = identity;
    this.#deps = deps;
    this.#startedMs = deps.clock.monotonic();
    for (const messageId of identity.messageIds) this.#given.add(messageId);
    const append = (draft: EventDraft): void => void deps.ledger.append([draft]);
    this.#segments = new Segments(this.#stamp, deps.clock, append);
    const appendFit = (draft: EventDraft): void => deps.appendWork(fitEvents(draft));
    this.#tools = new ToolCalls(this.#stamp, deps.clock, appendFit, () => deps.wallOf(identity.member));
  }

  get #stamp(): { turnId: string; member: string } {
    return { turnId: this.identity.turnId, member: this.identity.member };
  }

  markDelivered(): void {
    for (const messageId of this.identity.messageIds) this.#deliver(messageId);
  }

  record(event: AgentEvent): void {
    if (this.isSettled) return;
    if (this.#backlog === undefined) {
      this.#handle(event);
      return;
    }
    this.#backlog.push(event);
    if (this.#backlog.length >= BLOB_WAIT_EVENTS_MAX) this.#blobGivenUp?.();
  }

  /** Records a steered message at this position of the turn. */
  recordSteering(messageId: string): void {
    if (this.isSettled) return;
    this.#segments.close();
    this.#given.add(messageId);
    this.#deps.ledger.append([{ type: "steering", messageId, ...this.#stamp }]);
    this.#deliver(messageId);
  }

  /** Pauses the call's time while the user is asked; resumes when the returned function is called. */
  pauseTool(toolCallId: string): () => void {
    return this.#tools.pause(toolCallId);
  }

  /** Result of an approval: why it was denied, or undefined. */
  denyTool(toolCallId: string, why: string | undefined): void {
    this.#tools.deny(toolCallId, why);
  }

  settle(end: TurnEndFacts): void {
    if (this.isSettled) return;
    this.#deps.endSubagents(this, end);
    this.#deps.cancelRequests(this);
    const isCut = end.outcome !== "completed";
    this.#segments.close({ interrupted: isCut });
    this.#tools.interruptAll(
      isCut ? "The turn was stopped before the tool had a result." : "The turn ended without a result of this tool.",
    );
    this.isSettled = true;
    this.#backlog = undefined;
    const usage = end.usage ?? this.#usage;
    this.#deps.ledger.append([
      fitEvent({
        type: "turn_end",
        ...this.#stamp,
        outcome: end.outcome,
        ...(end.reason === undefined ? {} : { reason: end.reason }),
        ...(end.error === undefined ? {} : { error: end.error }),
        ...(usage === undefined ? {} : { usage }),
        durationMs: Math.max(0, this.#deps.clock.monotonic() - this.#startedMs),
      }),
      ...[...this.#given].map((messageId) =>
        this.#delivery(messageId, isCut ? "dropped" : "answered", isCut ? (end.reason ?? end.outcome) : undefined),
      ),
    ]);
  }

  #deliver(messageId: string): void {
    this.#delivered.add(messageId);
    this.#deps.ledger.append([this.#delivery(messageId, "delivered")]);
  }

  #delivery(messageId: string, state: DeliveryState, reason?: string): EventDraft {
    return { type: "message_delivery", messageId, ...this.#stamp, state, ...(reason === undefined ? {} : { reason }) };
  }

  #noteActivity(): void {
    if (this.#delivered.size === 0) return;
    const drafts = [...this.#delivered].map((messageId) => this.#delivery(messageId, "answering"));
    this.#delivered.clear();
    this.#deps.ledger.append(drafts);
  }

  #handle(event: AgentEvent): void {
    if (!NOT_ACTIVITY.has(event.type)) this.#noteActivity();
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
        if (this.#hasRoomFor(event.text)) this.#segments.delta(kindOf(event.type), event.text);
        return;
      case "text_done":
      case "thinking_done":
        if ((event.text?.length ?? 0) > TURN_OUTPUT_CHARS_MAX) this.#deps.onOverflow(this);
        else this.#segments.done(kindOf(event.type), event.text);
        return;
      case "text_retracted":
        this.#segments.retract(event.reason);
        return;
      case "tool_call_start":
        this.#segments.close();
        this.#tools.start(event);
        return;
      case "tool_call_update":
        this.#tools.update(event);
        return;
      case "tool_output_delta":
        if (this.#hasRoomFor(event.text)) this.#tools.output(event);
        return;
      case "tool_result":
        this.#handleResult(event);
        return;
      case "request":
        this.#handleRequest(event);
        return;
      case "request_withdrawn":
        this.#deps.onWithdrawn(this, event.callId);
        return;
      case "host_call":
        this.#deps.onHostCall(this, event);
        return;
      case "steered":
        this.#deps.onSteered(this, event.messageId);
        return;
      case "subagent_start":
      case "subagent_event":
      case "subagent_done":
        this.#handleSubagent(event);
        return;
      case "compacted":
      case "compact_failed":
      case "context_entry":
        this.#handleContext(event);
        return;
      case "turn_done":
        this.#deps.onDone(this, event);
        return;
      default:
        this.#pass(event);
    }
  }

  #handleRequest(event: UserRequest): void {
    this.#segments.close();
    const native = event.nativeToolId;
    this.#deps.onRequest(this, event, native === undefined ? undefined : this.#tools.find(native, "A request"));
  }

  /** `compact_failed` cannot occur inside a turn. */
  #handleContext(event: Extract<AgentEvent, { type: `compact${string}` | "context_entry" }>): void {
    if (event.type === "compacted") this.#deps.onCompacted(this, event);
    else if (event.type === "context_entry") this.#recordEntry(event.entry);
  }

  #handleSubagent(event: SubagentEvent): void {
    const native = event.type === "subagent_start" ? event.nativeToolId : undefined;
    if (event.type === "subagent_start") this.#segments.close();
    this.#deps.onSubagent(this, event, native === undefined ? undefined : this.#tools.find(native, "A subagent"));
  }

  #pass(event: PassingEvent): void {
    if (event.type === "usage") this.#usage = event.usage;
    this.#deps.appendWork(fitEvents({ ...event, ...this.#stamp }));
  }

  #hasRoomFor(text: string): boolean {
    this.#outputChars += text.length;
    if (this.#outputChars <= TURN_OUTPUT_CHARS_MAX) return true;
    this.#deps.onOverflow(this);
    return false;
  }

  #blobGivenUp: (() => void) | undefined;

  /** A large result waits for its blob; later output queues behind it. */
  #handleResult({ nativeId, ...result }: Extract<AgentEvent, { type: "tool_result" }>): void {
    const toolCallId = this.#tools.find(nativeId, "A result");
    if (toolCallId === undefined) return;
    const whole = result.result;
    if (!isLargeOutput(whole)) {
      this.#tools.settle(toolCallId, result);
      return;
    }
    this.#store(whole, (blob) => this.#settleLarge(toolCallId, result, whole, blob));
  }

  /** Context entry of a member whose context is rebuilt from the log. */
  #recordEntry(entry: ContextEntry): void {
    const json = JSON.stringify(entry);
    const stamp = this.#stamp;
    if (json.length <= CONTEXT_ENTRY_INLINE_MAX && Buffer.byteLength(json) <= CONTEXT_ENTRY_INLINE_MAX) {
      this.#deps.ledger.append([{ type: "context_entry", ...stamp, entry }]);
      return;
    }
    this.#store(json, (blob) => {
      const message =
        "A long part of this conversation could not be stored; after a restart the member will not know it.";
      this.#deps.ledger.append([
        blob === undefined
          ? { type: "warning", ...stamp, code: "context_not_stored", message }
          : { type: "context_entry", ...stamp, blob },
      ]);
    });
  }

  /** Later output queues until the blob is stored. */
  #store(whole: string, then: (blob: BlobRef | undefined) => void): void {
    this.#backlog = [];
    let isOver = false;
    const goOn = (blob: BlobRef | undefined): void => {
      if (isOver) return;
      isOver = true;
      cancel();
      this.#blobGivenUp = undefined;
      if (this.isSettled) return;
      then(blob);
      const waiting = this.#backlog ?? [];
      this.#backlog = undefined;
      for (const event of waiting) this.record(event);
    };
    const cancel = this.#deps.clock.after(BLOB_WAIT_MS, () => goOn(undefined));
    this.#blobGivenUp = () => goOn(undefined);
    this.#deps.putBlob(Buffer.from(whole)).then(goOn, () => goOn(undefined));
  }

  #settleLarge(toolCallId: string, result: ToolResult, whole: string, blob: BlobRef | undefined): void {
    if (blob === undefined) {
      const message = "A large tool output could not be stored; only its beginning and end are kept.";
      this.#deps.ledger.append([{ type: "warning", ...this.#stamp, code: "output_not_stored", message }]);
    }
    this.#tools.settle(toolCallId, shortenResult(result, whole, blob));
  }
}

type PassingEvent = Exclude<
  AgentEvent,
  {
    type:
      | `text_${string}`
      | `thinking_${string}`
      | `tool_${string}`
      | `subagent_${string}`
      | `compact${string}`
      | "context_entry"
      | "request"
      | "host_call"
      | "request_withdrawn"
      | "steered"
      | "turn_done";
  }
>;

function kindOf(type: "text_delta" | "text_done" | "thinking_delta" | "thinking_done"): "text" | "thinking" {
  return type.startsWith("text") ? "text" : "thinking";
}
