/**
 * One short turn with one member, outside any session.
 * Read-only; all requests are rejected at once; ends at its timeout; closes the member and its processes at the end.
 */
import type { Agent, AgentEvent, TurnError } from "../../../agents/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Usage } from "../../../protocol/index.ts";

const QUESTION = "Answer with the word ready.";
const TURN_ID = "trial";
const ANSWER_CHARS_MAX = 4_000;
const WARNINGS_MAX = 5;

export interface Trial {
  readonly outcome: "answered" | "failed" | "timed_out" | "interrupted";
  /** Measured from the start of the member. */
  readonly firstTextMs?: number;
  readonly totalMs: number;
  readonly answer: string;
  readonly usage?: Usage;
  readonly error?: TurnError;
  readonly warnings: readonly string[];
}

export interface TrialOptions {
  readonly agent: Agent;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
}

export async function runTrial({ agent, timeoutMs, clock, signal }: TrialOptions): Promise<Trial> {
  const begunAtMs = clock.monotonic();
  const recorder = new TrialRecorder(agent, () => clock.monotonic() - begunAtMs);
  const stopped = Promise.withResolvers<"timed_out" | "interrupted">();
  const cancel = clock.after(timeoutMs, () => stopped.resolve("timed_out"));
  const onAbort = (): void => stopped.resolve("interrupted");
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  const turn = agent
    .start((event) => recorder.record(event))
    .then(() => {
      agent.send({ kind: "turn", turnId: TURN_ID, text: QUESTION, attachments: [] });
      return recorder.done;
    });
  const end = await Promise.race([turn, stopped.promise]);
  const totalMs = clock.monotonic() - begunAtMs;
  cancel();
  signal.removeEventListener("abort", onAbort);
  // Events while the member closes are not part of the answer.
  const facts = recorder.facts();
  await agent.close();
  if (end === "timed_out") return { outcome: end, totalMs, ...facts, error: tooLate(timeoutMs, recorder.lastRetry) };
  if (end === "interrupted") return { outcome: end, totalMs, ...facts };
  return { totalMs, ...facts, ...judge(end, facts.answer) };
}

type TurnDone = Extract<AgentEvent, { type: "turn_done" }>;

function judge(end: TurnDone, answer: string): Pick<Trial, "outcome" | "error" | "usage"> {
  const usage = end.usage === undefined ? {} : { usage: end.usage };
  if (end.outcome === "completed" && answer.trim() !== "") return { outcome: "answered", ...usage };
  const error = end.error ?? {
    code: end.reason ?? "no_answer",
    message: end.outcome === "completed" ? "The turn ended without an answer." : `The turn ended as ${end.outcome}.`,
  };
  return { outcome: "failed", error, ...usage };
}

function tooLate(timeoutMs: number, lastRetry: string | undefined): TurnError {
  const message = `No answer within ${timeoutMs / 1000} s${lastRetry === undefined ? "" : `; it was retrying (${lastRetry})`}.`;
  return { code: "timeout", message, hint: "Give it more time with --timeout SECONDS." };
}

/** Collects the events of the turn. */
class TrialRecorder {
  readonly done: Promise<TurnDone>;
  lastRetry: string | undefined;
  readonly #done = Promise.withResolvers<TurnDone>();
  readonly #agent: Agent;
  readonly #elapsedMs: () => number;
  readonly #warnings: string[] = [];
  #segments = "";
  #open = "";
  #firstTextMs: number | undefined;
  #usage: Usage | undefined;

  constructor(agent: Agent, elapsedMs: () => number) {
    this.#agent = agent;
    this.#elapsedMs = elapsedMs;
    this.done = this.#done.promise;
  }

  record(event: AgentEvent): void {
    switch (event.type) {
      case "text_delta":
        return this.#setOpen(this.#open + event.text);
      case "text_done":
        this.#setOpen(event.text ?? this.#open);
        this.#segments = `${this.#segments}${this.#open}\n`.slice(0, ANSWER_CHARS_MAX);
        this.#open = "";
        return;
      case "text_retracted":
        this.#open = "";
        return;
      case "usage":
        this.#usage = event.usage;
        return;
      case "retrying":
        this.lastRetry = event.reason;
        return;
      case "warning":
        if (this.#warnings.length < WARNINGS_MAX) this.#warnings.push(event.message);
        return;
      case "request":
      case "host_call":
        // Deferred: an agent need not expect an answer inside its own call.
        return queueMicrotask(() => this.#agent.answer(event.callId, { result: null, error: "This is only a trial." }));
      case "turn_done":
        return this.#done.resolve(event);
      default:
    }
  }

  facts(): Pick<Trial, "answer" | "warnings" | "firstTextMs" | "usage"> {
    return {
      answer: (this.#segments + this.#open).trim(),
      warnings: [...this.#warnings],
      ...(this.#firstTextMs === undefined ? {} : { firstTextMs: this.#firstTextMs }),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
    };
  }

  #setOpen(text: string): void {
    if (text !== "") this.#firstTextMs ??= this.#elapsedMs();
    this.#open = text.slice(0, ANSWER_CHARS_MAX);
  }
}
