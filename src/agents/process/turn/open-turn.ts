/** One accepted turn: its phase, its timeouts and the requests that it waits for. */
import type { Clock } from "../../../kit/clock.ts";
import type { AgentEvent, TurnInput } from "../../port.ts";
import type { TurnOver } from "../dialect.ts";
import type { ProcessLimits } from "../limits.ts";
import type { ProcessEnd } from "../supervised-process.ts";
import { TurnOutput } from "./output.ts";

/** Events that are invalid after the end of the turn. */
const TURN_EVENTS = /^(text|thinking|tool)_|^(request|request_withdrawn|host_call|steered)$/;

/**
 * Progress of the program with a turn, in this order. A stop may be requested in any phase and does not change it: the
 * program still has to confirm it or exit.
 *
 * - starting: the program is being started, or waits for the user's consent; nothing was sent to it
 * - prompted: the prompt was sent; the turn can be steered, and its processes are cleaned up afterwards
 * - over: the program has reported the end; events of the turn are a violation of its protocol
 */
type TurnPhase = "starting" | "prompted" | "over";

export class OpenTurn {
  readonly input: TurnInput;
  readonly output: TurnOutput;
  /** Resolves when the program reports the end. */
  readonly over = Promise.withResolvers<TurnOver>();
  /** Resolves with the end that a stop (by the user, a limit or the host) asks for. */
  readonly stopRequested = Promise.withResolvers<TurnOver>();
  /** Resolves when the program has exited or its output is lost. */
  readonly ended = Promise.withResolvers<ProcessEnd>();
  readonly outputEnded = Promise.withResolvers<void>();
  readonly #calls = new Set<string>();
  #timeouts: TurnTimeouts | null = null;
  #phase: TurnPhase = "starting";
  /** Not a turn of the session: the program is asked to compact its context. */
  isCompaction = false;
  isStopRequested = false;
  isBackground = false;
  /** The program was told to exit and is not used any more, even if the system cannot end it. */
  isProgramLost = false;
  /** Processes from before the turn, which its cleanup spares. */
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

  /** Whether the program has received the prompt. */
  get isPromptSent(): boolean {
    return this.#phase !== "starting";
  }

  promptSent(): void {
    if (this.#phase === "starting") this.#phase = "prompted";
  }

  end(over: TurnOver): void {
    this.#phase = "over";
    this.over.resolve(over);
  }

  requestStop(end: TurnOver): void {
    this.isStopRequested = true;
    this.stopRequested.resolve(end);
  }

  pass(event: AgentEvent, raw: string): void {
    if (this.#phase === "over" && TURN_EVENTS.test(event.type))
      return this.output.unexpected("it went on after the end of its turn", raw);
    const isCall = event.type === "request" || event.type === "host_call";
    if (isCall && !this.#calls.has(event.callId)) {
      this.#calls.add(event.callId);
      this.#timeouts?.hold();
    }
    if (event.type === "request_withdrawn" && !this.resolveCall(event.callId)) return;
    this.output.pass(event, raw);
  }

  /** False when no such request is open. */
  resolveCall(callId: string): boolean {
    if (!this.#calls.delete(callId)) return false;
    this.#timeouts?.release();
    return true;
  }
}

/**
 * Time limits of one turn: silence (with a warning first) and total. Time spent waiting for the user does not count as
 * silence.
 */
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

  /** Reports output. Cheap: reads the clock, and resets the timer only when it fires or after a warning. */
  alive(): void {
    this.#lastSignMs = this.#options.clock.monotonic();
    if (!this.#hasWarned) return;
    this.#hasWarned = false;
    this.#cancelSilence();
    this.#watch();
  }

  /** The program waits for our answer from now on, so its silence is fine. */
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
    // At least a few milliseconds: a clock slightly behind its timers must not become a busy loop.
    const waitMs = this.#waits > 0 ? dueMs : dueMs - silentMs;
    this.#cancelSilence = clock.after(Math.max(waitMs, 5), () => this.#watch());
  }
}
