/**
 * One running turn: its events, waits and end.
 * Text is closed before any other event; every started tool call is settled; nothing comes up after the end; every wait
 * rejects with the signal's reason once the turn is stopped.
 */
import type { Clock } from "../../kit/clock.ts";
import type { Json, UiRequestBody, Usage } from "../../protocol/index.ts";
import type { AgentEvent, AnswerResult, SteerInput, TurnError, TurnInput } from "../port.ts";
import { addUsage } from "./requests/usage.ts";

export type TurnEnd =
  | { outcome: "completed" }
  | { outcome: "interrupted"; reason: string }
  | { outcome: "errored"; reason: string; error: TurnError };

type ToolStart = Extract<AgentEvent, { type: "tool_call_start" }>;
type ToolResult = Extract<AgentEvent, { type: "tool_result" }>;

export interface TurnMaking {
  readonly input: TurnInput;
  readonly clock: Clock;
  readonly steersMax: number;
  readonly nextId: () => string;
  readonly up: (event: AgentEvent) => void;
}

function isDiagnostic({ type }: AgentEvent): boolean {
  return type === "warning" || type === "retrying" || type === "model_fallback";
}

export class RunningTurn {
  readonly input: TurnInput;
  readonly signal: AbortSignal;
  /** Resolves when the turn is stopped; otherwise never. */
  readonly stopped: Promise<TurnEnd>;
  readonly #making: TurnMaking;
  readonly #controller = new AbortController();
  readonly #stop = Promise.withResolvers<TurnEnd>();
  readonly #openTools = new Set<string>();
  /** Turns of subagents; stopped and settled with this one. */
  readonly #children = new Set<RunningTurn>();
  readonly #waiting = new Map<string, (answer: AnswerResult) => void>();
  #steers: SteerInput[] = [];
  #stoppedAs: TurnEnd | undefined;
  #segment: "text" | "thinking" | undefined;
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };
  #isSettled = false;

  constructor(making: TurnMaking) {
    this.#making = making;
    this.input = making.input;
    this.signal = this.#controller.signal;
    this.stopped = this.#stop.promise;
  }

  write(text: string): void {
    this.#open("text");
    this.#emit({ type: "text_delta", text });
  }

  think(text: string): void {
    this.#open("thinking");
    this.#emit({ type: "thinking_delta", text });
  }

  closeSegment(): void {
    if (this.#segment !== undefined) this.#emit({ type: `${this.#segment}_done` });
    this.#segment = undefined;
  }

  /** Retracts the text of the streaming reply. */
  retract(reason: string): void {
    if (this.#segment === "thinking") this.closeSegment();
    this.#segment = undefined;
    this.#emit({ type: "text_retracted", reason });
  }

  /** For events without bookkeeping. */
  show(event: AgentEvent): void {
    this.#emit(event);
  }

  addUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#emit({ type: "usage", usage: this.#usage });
  }

  startTool(start: Omit<ToolStart, "type" | "nativeId">): string {
    this.signal.throwIfAborted();
    this.closeSegment();
    const nativeId = this.#making.nextId();
    this.#openTools.add(nativeId);
    this.#emit({ type: "tool_call_start", nativeId, ...start });
    return nativeId;
  }

  /** Nothing more comes up for a tool call already settled as interrupted. */
  toolOutput(nativeId: string, text: string, stream?: "stdout" | "stderr"): void {
    if (!this.#openTools.has(nativeId)) return;
    this.#emit({ type: "tool_output_delta", nativeId, text, ...(stream === undefined ? {} : { stream }) });
  }

  updateTool(nativeId: string, detail: string): void {
    if (this.#openTools.has(nativeId)) this.#emit({ type: "tool_call_update", nativeId, detail });
  }

  settleTool(result: Omit<ToolResult, "type">): void {
    if (this.#openTools.delete(result.nativeId)) this.#emit({ type: "tool_result", ...result });
  }

  ask(request: UiRequestBody, nativeToolId: string): Promise<AnswerResult> {
    return this.#await((callId) => ({ type: "request", callId, request, nativeToolId }));
  }

  hostCall(tool: string, args: Json): Promise<AnswerResult> {
    return this.#await((callId) => ({ type: "host_call", callId, tool, args }));
  }

  delay(ms: number): Promise<void> {
    this.signal.throwIfAborted();
    const passed = Promise.withResolvers<void>();
    const cancel = this.#making.clock.after(ms, passed.resolve);
    return this.unlessStopped(passed.promise).finally(cancel);
  }

  unlessStopped<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([
      promise,
      this.stopped.then((): never => {
        throw this.signal.reason;
      }),
    ]);
  }

  get hasSteers(): boolean {
    return this.#steers.length > 0;
  }

  /** Consumes all pending steers and reports them. The session redelivers the others. */
  consumeSteers(): SteerInput[] {
    const steers = this.#steers;
    this.#steers = [];
    if (steers.length > 0) this.closeSegment();
    for (const { messageId } of steers) this.#emit({ type: "steered", messageId });
    return steers;
  }

  offerSteer(steer: SteerInput): void {
    if (this.#steers.length < this.#making.steersMax) {
      this.#steers.push(steer);
      return;
    }
    const message = `More than ${this.#making.steersMax} messages wait for this turn; message ${steer.messageId} is left for the next one.`;
    queueMicrotask(() => this.#emit({ type: "warning", code: "too_many_steers", message }));
  }

  /** Ids are unique per member, so an answer matches at most one turn of the tree. */
  receiveAnswer(callId: string, answer: AnswerResult): void {
    const resolve = this.#waiting.get(callId);
    this.#waiting.delete(callId);
    if (resolve !== undefined) return resolve(answer);
    for (const child of this.#children) child.receiveAnswer(callId, answer);
  }

  /** Asks the model something that is not the member's answer: only errors come up. */
  beginAside(): RunningTurn {
    const aside = new RunningTurn({
      ...this.#making,
      up: (event) => (isDiagnostic(event) ? this.#emit(event) : undefined),
    });
    this.adopt(aside);
    return aside;
  }

  adopt(child: RunningTurn): void {
    this.#children.add(child);
  }

  release(child: RunningTurn): void {
    this.#children.delete(child);
  }

  stop(reason: string): void {
    this.#stoppedAs ??= { outcome: "interrupted", reason };
    this.#stop.resolve(this.#stoppedAs);
    for (const child of this.#children) child.stop(reason);
    this.#controller.abort(new Error(reason));
  }

  /** A stopped turn ends as interrupted, even if it completed at the same moment. */
  settle(reached: TurnEnd): void {
    if (this.#isSettled) return;
    const end = this.#stoppedAs ?? reached;
    for (const child of this.#children) child.settle({ outcome: "interrupted", reason: "the turn that sent it ended" });
    // Text of a cut turn stays open: the session closes and marks it.
    if (end.outcome === "completed") this.closeSegment();
    for (const nativeId of this.#openTools) {
      const error = { code: "tool_interrupted" as const, message: "The turn ended before this call did." };
      this.#emit({ type: "tool_result", nativeId, ok: false, error });
    }
    this.#openTools.clear();
    this.#emit({ type: "turn_done", turnId: this.input.turnId, ...end, usage: this.#usage });
    this.#isSettled = true;
    this.#waiting.clear();
    this.#controller.abort(new Error("the turn has ended"));
  }

  #open(kind: "text" | "thinking"): void {
    this.signal.throwIfAborted();
    if (this.#segment !== kind) this.closeSegment();
    this.#segment = kind;
  }

  #await(event: (callId: string) => AgentEvent): Promise<AnswerResult> {
    this.signal.throwIfAborted();
    this.closeSegment();
    const callId = this.#making.nextId();
    const answered = Promise.withResolvers<AnswerResult>();
    this.#waiting.set(callId, answered.resolve);
    this.#emit(event(callId));
    return this.unlessStopped(answered.promise).finally(() => this.#waiting.delete(callId));
  }

  #emit(event: AgentEvent): void {
    if (!this.#isSettled) this.#making.up(event);
  }
}
