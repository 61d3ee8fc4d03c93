/** One accepted turn: what it may still become, who waits for it, and what it has asked of us. */
import type { Clock } from "../../../kit/clock.ts";
import type { AgentEvent, TurnInput } from "../../port.ts";
import type { TurnOver } from "../dialect.ts";
import type { ProcessLimits } from "../limits.ts";
import type { ProcessEnd } from "../supervised-process.ts";
import { TurnOutput } from "./output.ts";

/** What makes no sense once the turn is over. */
const TURN_EVENTS = /^(text|thinking|tool)_|^(request|request_withdrawn|host_call|steered)$/;

export class OpenTurn {
  readonly input: TurnInput;
  readonly output: TurnOutput;
  /** The program said that the turn is over. */
  readonly over = Promise.withResolvers<TurnOver>();
  /** Somebody (the user, a limit, the host) wants it to end, and like this. */
  readonly stopRequested = Promise.withResolvers<TurnOver>();
  /** The program has left, or can say nothing more. */
  readonly ended = Promise.withResolvers<ProcessEnd>();
  readonly outputEnded = Promise.withResolvers<void>();
  readonly #calls = new Set<string>();
  #timeouts: TurnTimeouts | null = null;
  /** The prompt is with the program: from here on it can be steered. */
  isPromptSent = false;
  /** Not a turn of the session's: the program is asked to compact its context. */
  isCompaction = false;
  isStopRequested = false;
  isBackground = false;
  isOver = false;
  /** Its program was told to go and is not counted on any more, even if the system cannot end it. */
  isProgramLost = false;
  /** Who ran before the turn began, and is none of its business. */
  before: ReadonlySet<number> = new Set();

  constructor(input: TurnInput, member: string, limits: ProcessLimits, up: (event: AgentEvent) => void) {
    this.input = input;
    this.output = new TurnOutput({ turnId: input.turnId, member, limits, up });
  }

  startTimeouts(
    clock: Clock,
    limits: ProcessLimits,
    on: Pick<TurnTimeoutOptions, "onQuiet" | "onSilent" | "onTooLong">,
  ): void {
    this.#timeouts = new TurnTimeouts({ clock, limits, ...on });
  }

  stopTimeouts(): void {
    this.#timeouts?.stop();
  }

  alive(): void {
    this.#timeouts?.alive();
  }

  end(over: TurnOver): void {
    this.isOver = true;
    this.over.resolve(over);
  }

  requestStop(end: TurnOver): void {
    this.isStopRequested = true;
    this.stopRequested.resolve(end);
  }

  pass(event: AgentEvent, raw: string): void {
    if (this.isOver && TURN_EVENTS.test(event.type))
      return this.output.unexpected("it went on after the end of its turn", raw);
    const isCall = event.type === "request" || event.type === "host_call";
    if (isCall && !this.#calls.has(event.callId)) {
      this.#calls.add(event.callId);
      this.#timeouts?.hold();
    }
    if (event.type === "request_withdrawn" && !this.resolveCall(event.callId)) return;
    this.output.pass(event, raw);
  }

  /** False when nobody asked that, or it was answered already. */
  resolveCall(callId: string): boolean {
    if (!this.#calls.delete(callId)) return false;
    this.#timeouts?.release();
    return true;
  }
}

// The time limits of one turn: silence (a warning first), and the whole. Waiting for the user's answer is no silence.

interface TurnTimeoutOptions {
  readonly clock: Clock;
  readonly limits: Pick<ProcessLimits, "silenceWarnMs" | "silenceMs" | "totalMs">;
  readonly onQuiet: (silentMs: number) => void;
  readonly onSilent: (silentMs: number) => void;
  readonly onTooLong: (totalMs: number) => void;
}

export class TurnTimeouts {
  readonly #options: TurnTimeoutOptions;
  readonly #cancelTotal: () => void;
  #cancelSilence: () => void = () => {};
  #lastSignMs: number;
  #hasWarned = false;
  #waits = 0;
  #isOver = false;

  constructor(options: TurnTimeoutOptions) {
    this.#options = options;
    this.#lastSignMs = options.clock.monotonic();
    this.#cancelTotal = options.clock.after(options.limits.totalMs, () => options.onTooLong(options.limits.totalMs));
    this.#watch();
  }

  /** A sign of life. Costs a look at the clock: the timer is set anew when it fires, or when silence was warned of. */
  alive(): void {
    this.#lastSignMs = this.#options.clock.monotonic();
    if (!this.#hasWarned) return;
    this.#hasWarned = false;
    this.#cancelSilence();
    this.#watch();
  }

  /** The program waits for an answer of ours from now on, and says nothing with good reason. */
  hold(): void {
    this.#waits += 1;
  }

  release(): void {
    this.#waits = Math.max(0, this.#waits - 1);
    this.alive();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancelTotal();
    this.#cancelSilence();
  }

  #watch(): void {
    if (this.#isOver) return;
    const { clock, limits } = this.#options;
    const silentMs = clock.monotonic() - this.#lastSignMs;
    const dueMs = this.#hasWarned ? limits.silenceMs : limits.silenceWarnMs;
    if (this.#waits === 0 && silentMs >= dueMs) {
      if (this.#hasWarned || limits.silenceMs <= limits.silenceWarnMs) return this.#options.onSilent(silentMs);
      this.#hasWarned = true;
      this.#options.onQuiet(silentMs);
      return this.#watch();
    }
    // At least a little: a clock that runs a hair behind its timers must not become a busy loop.
    const waitMs = this.#waits > 0 ? dueMs : dueMs - silentMs;
    this.#cancelSilence = clock.after(Math.max(waitMs, 5), () => this.#watch());
  }
}
