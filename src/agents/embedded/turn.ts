/**
 * One running turn of an embedded member: what its routine may do, and the state that lets the turn end cleanly.
 * Once the turn is stopped, every method throws the signal's reason; nothing is emitted after the end.
 */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../kit/clock.ts";
import type { Attachment, Json, UiRequestBody, Usage } from "../../protocol/index.ts";
import type { AgentEvent, AnswerResult, MissedMessage, AgentSetup, SteerInput, TurnInput } from "../port.ts";
import { deltaChunks } from "./delta-chunks.ts";
import type { ErroredEnd } from "../turn-error.ts";

type ToolStart = Extract<AgentEvent, { type: "tool_call_start" }>;
type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

/** Events that a routine may emit directly; text, tools, requests and the end go through the turn's methods. */
export type PlainEvent = Exclude<
  AgentEvent,
  {
    type:
      | `text_${string}`
      | `thinking_${string}`
      | `tool_${string}`
      | "request"
      | "host_call"
      | "steered"
      | "turn_done";
  }
>;

export interface ToolCall {
  name: string;
  args: Json;
  title?: string;
  kind?: NonNullable<ToolStart["kind"]>;
}

export interface RunningTool {
  readonly nativeId: string;
  output(text: string, stream?: "stdout" | "stderr"): void;
  update(detail: string): void;
}

/** Result of a tool: a value for the routine, and the text to show. */
export interface ToolOutcome<Value> {
  value: Value;
  result: string;
  truncated?: NonNullable<ToolResult["truncated"]>;
}

export interface EmbeddedTurn {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** Round of a discussion, from 1; undefined for a message to single members. */
  readonly round: number | undefined;
  /** Messages since this member's last turn. Data: never a path, a command or an option. */
  readonly missed: readonly MissedMessage[];
  readonly setup: AgentSetup;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Streams Markdown in small chunks and yields between them. */
  write(markdown: string): Promise<void>;
  /** The last line of an answer, in italics; the first one of a session also says that no model is involved. */
  smallPrint(...sentences: string[]): Promise<void>;
  think(text: string): Promise<void>;
  show(event: PlainEvent): void;
  /** Shows the work as a tool call. If the work throws, the call fails and the error is rethrown. */
  tool<Value>(call: ToolCall, work: (tool: RunningTool) => Promise<ToolOutcome<Value>>): Promise<Value>;
  /** Waits for the user without a limit: the session answers when the time is up. */
  ask(request: UiRequestBody, options?: { timeoutMs?: number; nativeToolId?: string }): Promise<AnswerResult>;
  delay(ms: number): Promise<void>;
  /** Yields once; lets a long loop notice that it was stopped. */
  breathe(): Promise<void>;
  hasSteer(): boolean;
  /** Takes all pending steers, confirms them, and returns their texts in order. Those never taken become turns. */
  consumeSteers(): string[];
}

export type TurnEnd = { outcome: "completed" } | { outcome: "interrupted"; reason: string } | ErroredEnd;

/** Steers beyond this stay with the session, which delivers them after the turn. */
const STEERS_MAX = 64;

/** No model is involved. */
const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

interface Making {
  input: TurnInput;
  setup: AgentSetup;
  clock: Clock;
  nextCallId: () => string;
  /** Introduction of the member, once per session; empty afterwards. */
  introduction: () => string;
  up: (event: AgentEvent) => void;
}

export class RunningTurn implements EmbeddedTurn {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly round: number | undefined;
  readonly missed: readonly MissedMessage[];
  readonly setup: AgentSetup;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolves only when the turn is stopped. */
  readonly stopped: Promise<TurnEnd>;
  readonly #turnId: string;
  readonly #making: Making;
  readonly #controller = new AbortController();
  readonly #stop = Promise.withResolvers<TurnEnd>();
  readonly #steers: SteerInput[] = [];
  readonly #openTools = new Set<string>();
  readonly #waiting = new Map<string, (answer: AnswerResult) => void>();
  #stoppedAs: TurnEnd | undefined;
  #textIsOpen = false;
  #settled = false;

  constructor(making: Making) {
    this.#making = making;
    this.#turnId = making.input.turnId;
    this.text = making.input.text;
    this.attachments = making.input.attachments;
    this.round = making.input.round;
    // Without its own messages, which are included when the session is reopened.
    this.missed = (making.input.missed ?? []).filter(
      ({ speaker }) => speaker.kind === "user" || speaker.name !== making.input.self,
    );
    this.setup = making.setup;
    this.clock = making.clock;
    this.signal = this.#controller.signal;
    this.stopped = this.#stop.promise;
  }

  async write(markdown: string): Promise<void> {
    for (const text of deltaChunks(markdown)) {
      this.signal.throwIfAborted();
      this.#textIsOpen = true;
      this.#emit({ type: "text_delta", text });
      await this.breathe();
    }
  }

  async smallPrint(...sentences: string[]): Promise<void> {
    const shown = [...sentences, this.#making.introduction()].filter((sentence) => sentence !== "");
    if (shown.length > 0) await this.write(`*${shown.join(". ")}.*\n`);
  }

  async think(text: string): Promise<void> {
    this.#closeText();
    for (const part of deltaChunks(text)) {
      this.signal.throwIfAborted();
      this.#emit({ type: "thinking_delta", text: part });
      await this.breathe();
    }
    this.#emit({ type: "thinking_done" });
  }

  show(event: PlainEvent): void {
    this.signal.throwIfAborted();
    this.#emit(event);
  }

  async tool<Value>(call: ToolCall, work: (tool: RunningTool) => Promise<ToolOutcome<Value>>): Promise<Value> {
    this.signal.throwIfAborted();
    this.#closeText();
    const nativeId = this.#making.nextCallId();
    const startedMs = this.clock.monotonic();
    const settle = (rest: Omit<ToolResult, "type" | "nativeId" | "durationMs">) => {
      // Already settled as interrupted when the turn was stopped meanwhile.
      if (!this.#openTools.delete(nativeId)) return;
      this.#emit({ type: "tool_result", nativeId, ...rest, durationMs: this.clock.monotonic() - startedMs });
    };
    this.#openTools.add(nativeId);
    this.#emit({ type: "tool_call_start", nativeId, ...call });
    try {
      const outcome = await work({
        nativeId,
        output: (text, stream) =>
          this.#emit({ type: "tool_output_delta", nativeId, text, ...(stream === undefined ? {} : { stream }) }),
        update: (detail) => this.#emit({ type: "tool_call_update", nativeId, detail }),
      });
      this.signal.throwIfAborted();
      const truncated = outcome.truncated === undefined ? {} : { truncated: outcome.truncated };
      settle({ ok: true, result: outcome.result, ...truncated });
      return outcome.value;
    } catch (thrown) {
      // The open tools of a stopped turn are settled as interrupted when it ends.
      this.signal.throwIfAborted();
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      settle({ ok: false, error: { code: "tool_error", message } });
      throw thrown;
    }
  }

  ask(request: UiRequestBody, options: { timeoutMs?: number; nativeToolId?: string } = {}): Promise<AnswerResult> {
    this.signal.throwIfAborted();
    this.#closeText();
    const callId = this.#making.nextCallId();
    const answered = Promise.withResolvers<AnswerResult>();
    this.#waiting.set(callId, answered.resolve);
    this.#emit({ type: "request", callId, request, ...options });
    return this.#unlessStopped(answered.promise);
  }

  delay(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    const passed = Promise.withResolvers<void>();
    const cancel = this.clock.after(ms, passed.resolve);
    return this.#unlessStopped(passed.promise).finally(cancel);
  }

  async breathe(): Promise<void> {
    await setImmediate();
    this.signal.throwIfAborted();
  }

  hasSteer(): boolean {
    return this.#steers.length > 0;
  }

  consumeSteers(): string[] {
    this.signal.throwIfAborted();
    const steers = this.#steers.splice(0);
    if (steers.length > 0) this.#closeText();
    for (const steer of steers) this.#emit({ type: "steered", messageId: steer.messageId });
    return steers.map((steer) => steer.text);
  }

  offerSteer(steer: SteerInput): void {
    if (this.#steers.length < STEERS_MAX) {
      this.#steers.push(steer);
      return;
    }
    const message = `More than ${STEERS_MAX} messages wait for this turn; message ${steer.messageId} is left for the next one.`;
    queueMicrotask(() => this.#emit({ type: "warning", code: "too_many_steers", message }));
  }

  receiveAnswer(callId: string, answer: AnswerResult): void {
    this.#waiting.get(callId)?.(answer);
    this.#waiting.delete(callId);
  }

  stop(reason: string): void {
    this.#stoppedAs ??= { outcome: "interrupted", reason };
    this.#stop.resolve(this.#stoppedAs);
    this.#controller.abort(new Error(reason));
  }

  /** A stopped turn ends as interrupted, even if its routine ended in the same moment. */
  settle(reached: TurnEnd): void {
    const end = this.#stoppedAs ?? reached;
    if (end.outcome === "completed") this.#closeText();
    for (const nativeId of this.#openTools) {
      const error = { code: "tool_interrupted" as const, message: "The turn ended before this call did." };
      this.#emit({ type: "tool_result", nativeId, ok: false, error });
    }
    this.#openTools.clear();
    this.#emit({ type: "turn_done", turnId: this.#turnId, ...end, usage: NO_USAGE });
    this.#settled = true;
    this.#waiting.clear();
    this.#controller.abort(new Error("the turn has ended"));
  }

  /** The text of a stopped turn stays open: the session closes it and marks it as interrupted. */
  #closeText(): void {
    if (!this.#textIsOpen) return;
    this.#textIsOpen = false;
    this.#emit({ type: "text_done" });
  }

  #unlessStopped<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([
      promise,
      this.stopped.then((): never => {
        throw this.signal.reason;
      }),
    ]);
  }

  #emit(event: AgentEvent): void {
    if (!this.#settled) this.#making.up(event);
  }
}
