/**
 * Agent on a line-based program: an agent kind brings its dialect and how to launch it.
 *
 * Guarantees beyond the port: the program runs while its member is in the session, at most `idleMs` without work, and
 * is restarted within a budget; processes of a turn are ended with it, unless the agent declared them background work;
 * an interrupted turn is reported as ended at once, and the next one waits until the program has really let go.
 */
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Capabilities } from "../../protocol/index.ts";
import type { Agent, AgentEvent, AnswerResult, SteerInput, TurnInput } from "../port.ts";
import type { AgentRun, RunListener } from "./agent-run.ts";
import { awaitEnd } from "./turn/await-end.ts";
import { ConsentGate, type GatedSetup } from "./turn/consent-gate.ts";
import { BETWEEN_TURNS, BUSY, encodeCompaction, NOTHING_YET, openCompaction } from "./turn/compaction.ts";
import type { Dialect, DialectEvent, TurnOver } from "./dialect.ts";
import * as turnErrors from "./turn-errors.ts";
import { LeakedProcesses } from "./terminate/leaked-processes.ts";
import { launchProgram, type Launch, type Launched, type LaunchOptions } from "./launch/launch.ts";
import type { Line } from "./pipes/output-pump.ts";
import { processLimits, type ProcessLimits } from "./limits.ts";
import { cap, OpenTurn } from "./turn/open-turn.ts";
import type { ProcessRecords } from "./tracking/process-records.ts";
import { createRestartBudget, type CountedStart, type RestartBudget } from "./launch/restart-budget.ts";
import type { Defect } from "./supervised-process.ts";
import { plural } from "../../kit/text/format.ts";

export interface ProcessAgentOptions<State> {
  readonly member: string;
  readonly capabilities: Capabilities;
  readonly dialect: Dialect<State>;
  readonly launch: Launch;
  readonly records: ProcessRecords;
  /** Whether the session is read-only, and what the user agreed to in it. */
  readonly setup?: GatedSetup | undefined;
  /** Session of the program from before this host started. */
  readonly nativeSessionId?: string | undefined;
  readonly limits?: Partial<ProcessLimits>;
  readonly clock?: Clock;
  /** Connects to a program that several members share, instead of starting one for this member. */
  readonly open?: (options: LaunchOptions<State>) => Promise<Launched<State>>;
  /** Planted bugs that the test suite must detect. */
  readonly defect?: Defect;
}

const CLOSE_KILL_SEQUENCE = { interruptMs: 0, sigintMs: 0, sigtermMs: 2_500, sigkillMs: 1_000 };
const SAFE_ARGUMENT = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

export function createProcessAgent<State>(options: ProcessAgentOptions<State>): Agent {
  return new ProcessAgent(options);
}

class ProcessAgent<State> implements Agent {
  readonly capabilities: Capabilities;
  readonly #options: ProcessAgentOptions<State>;
  readonly #limits: ProcessLimits;
  readonly #clock: Clock;
  readonly #budget: RestartBudget;
  readonly #leakedProcesses: LeakedProcesses<State>;
  readonly #gate: ConsentGate;
  #up: ((event: AgentEvent) => void) | undefined;
  #run: AgentRun<State> | undefined;
  #start: CountedStart | undefined;
  /** Accepted and not yet reported as ended. */
  #turn: OpenTurn | undefined;
  /** Turn that the program works on; it may be reported as ended before the program has let go of it. */
  #activeTurn: OpenTurn | undefined;
  /** Resolves when the previous turn and its processes are gone. */
  #cleared: Promise<void> = Promise.resolve();
  #cancelIdle: () => void = () => {};
  #nativeSessionId: string | undefined;
  #hasWarnedBetween = false;
  #lastCrash: TurnOver["error"] | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ProcessAgentOptions<State>) {
    this.#options = options;
    this.capabilities = options.capabilities;
    this.#limits = { ...processLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    if (SAFE_ARGUMENT.test(options.nativeSessionId ?? "")) this.#nativeSessionId = options.nativeSessionId;
    const { startsMax, startsWindowMs: windowMs } = this.#limits;
    this.#budget = createRestartBudget({ member: options.member, clock: this.#clock, startsMax, windowMs });
    this.#gate = new ConsentGate(options.member, options.setup);
    this.#leakedProcesses = new LeakedProcesses({
      launch: options.launch,
      limits: this.#limits,
      clock: this.#clock,
      isCleanupDisabled: options.defect === "kill-group-only",
    });
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    // A failure here recurs with the first turn, which reports it.
    if (this.#options.launch.isEager === true) await this.#ensureRunning(undefined);
  }

  send(input: TurnInput | SteerInput): void {
    if (!this.#isOpen) return;
    if (input.kind === "steer") return this.#steer(input);
    const turn = new OpenTurn(input, this.#options.member, this.#limits, (event) => this.#up?.(event));
    this.#accept(turn);
  }

  compact(focus?: string): void {
    if (!this.#isOpen) return;
    const { member } = this.#options;
    const turn = openCompaction({
      member,
      focus,
      limits: this.#limits,
      up: (event) => this.#up?.(event),
      answer: (callId, result) => this.answer(callId, result),
    });
    if (this.#run !== undefined || this.#nativeSessionId !== undefined) return this.#accept(turn);
    queueMicrotask(() => turn.output.settle(NOTHING_YET));
  }

  /** Between `start` and `close`. */
  get #isOpen(): boolean {
    return this.#up !== undefined && this.#closing === undefined;
  }

  #accept(turn: OpenTurn): void {
    if (this.#turn !== undefined) {
      const refusal = turn.isCompaction ? BUSY : turnErrors.busy(this.#options.member);
      return queueMicrotask(() => turn.output.settle(refusal));
    }
    this.#turn = turn;
    this.#cancelIdle();
    void this.#perform(turn);
  }

  interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined) void this.#run?.process.endBackground?.();
    if (turn === undefined || turn.isStopRequested) return;
    const end: TurnOver = { outcome: "interrupted", reason: "interrupted" };
    turn.requestStop(end);
    this.#clock.after(this.#limits.interruptShownMs, () => this.#settle(turn, end));
  }

  answer(callId: string, result: AnswerResult): void {
    const { dialect } = this.#options;
    if (this.#turn?.resolveCall(callId) !== true || this.#gate.handleAnswer(callId, result)) return;
    if (dialect.encodeAnswer === undefined) return;
    void this.#run?.send((state) => dialect.encodeAnswer?.(state, callId, result) ?? { state });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  /** Never rejects: an internal error ends the turn like any other error. */
  async #perform(turn: OpenTurn): Promise<void> {
    await this.#cleared;
    if (turn.output.isSettled) return;
    const cleared = Promise.withResolvers<void>();
    this.#cleared = cleared.promise;
    try {
      const end = turnErrors.withLastCrash(await this.#runTurn(turn), this.#lastCrash);
      if (end.reason === "crashed") this.#lastCrash = end.error;
      await this.#cleanUp(turn);
      this.#settle(turn, end);
    } catch (thrown) {
      await this.#run?.process.stop();
      const message = `Internal error while running ${this.#options.member}: ${String(thrown)}`;
      this.#settle(turn, turnErrors.errored({ code: "internal", message }));
    } finally {
      turn.stopTimeouts();
      this.#run?.watch(undefined);
      // Here and not at the start of the next turn: a program that dies at once prints the reason before it is sent
      // anything.
      this.#run?.process.forgetStderr();
      this.#activeTurn = undefined;
      cleared.resolve();
      this.#watchIdle();
    }
  }

  async #runTurn(turn: OpenTurn): Promise<TurnOver> {
    const { member, dialect } = this.#options;
    this.#activeTurn = turn;
    this.#hasWarnedBetween = false;
    const refused = await this.#ensureRunning(turn);
    if (this.#closing !== undefined) await this.#leave();
    const run = this.#run;
    if (run === undefined)
      return refused ?? turnErrors.errored({ code: "crashed", message: `${member} exited immediately.` });
    turn.startTimeouts(this.#clock, this.#limits, {
      onQuiet: (ms) => {
        // Commands may run silently for long.
        if (turn.output.hasOpenTools) return;
        const [printed] = run.process.stderr.split("\n").slice(-1);
        turn.output.warn(
          "silent",
          `${member} has produced no output for ${turnErrors.seconds(ms)}.`,
          printed || undefined,
        );
      },
      onSilent: (ms) => turn.requestStop(turnErrors.silent(member, ms)),
      onTooLong: (ms) => turn.requestStop(turnErrors.tooLong(member, ms)),
    });
    run.watch({ ended: turn.ended.resolve, outputEnded: turn.outputEnded.resolve });
    await Promise.race([run.ready, turn.ended.promise, turn.stopRequested.promise]);
    // Nothing was sent, so nothing has to be interrupted.
    if (turn.isStopRequested) return turn.stopRequested.promise;
    if (this.#gate.isClosed && !run.process.hasExited && !(await this.#hasConsent(turn))) {
      await this.#leave();
      return turn.isStopRequested ? turn.stopRequested.promise : this.#gate.refusal();
    }
    turn.before = run.process.processTree.knownPids();
    turn.promptSent();
    const accepted = run.send((state) =>
      turn.isCompaction ? encodeCompaction(dialect, state, turn) : dialect.encodeTurn(state, turn.input),
    );
    const onAlive = (): void => this.#start?.forgive();
    const { launch: program } = this.#options;
    return awaitEnd(run, turn, accepted, {
      member,
      program,
      dialect,
      limits: this.#limits,
      clock: this.#clock,
      onAlive,
    });
  }

  async #hasConsent(turn: OpenTurn): Promise<boolean> {
    const consent = this.#gate.ask(turn.input.turnId, (request) => turn.pass(request, ""));
    // A program that has exited needs no consent; its exit is reported as usual.
    const left = turn.ended.promise.then(() => true);
    return await Promise.race([consent, left, turn.stopRequested.promise.then(() => false)]);
  }

  /** Ends the turn's processes, and the program too where it serves one turn only. */
  async #cleanUp(turn: OpenTurn): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    turn.stopTimeouts();
    const { isAlive, left } = await this.#leakedProcesses.cleanUp(run, turn);
    if (!isAlive && this.#run === run) this.#run = undefined;
    this.#warnOfLeaks(turn, left);
  }

  #warnOfLeaks(turn: OpenTurn, count: number): void {
    if (count === 0) return;
    const message = `${plural(count, "process", "processes")} that ${this.#options.member} started could not be ended.`;
    turn.output.warn("left_behind", message);
  }

  /** Starts the program unless it runs. Returns the reason when it cannot be started. */
  async #ensureRunning(turn: OpenTurn | undefined): Promise<TurnOver | undefined> {
    if (this.#run !== undefined && !this.#run.process.hasExited) return undefined;
    await this.#leave();
    this.#gate.forget();
    const known = { nativeSessionId: this.#nativeSessionId, model: turn?.input.model };
    const { open = launchProgram, ...options } = this.#options;
    const opened = await open({
      ...options,
      known,
      budget: this.#budget,
      listener: this.#listener(),
      limits: this.#limits,
      clock: this.#clock,
    });
    if (!opened.ok) return opened.over;
    this.#run = opened.run;
    this.#start = opened.start;
    void opened.run.ended.then(() => this.#afterExit(opened.run));
    return undefined;
  }

  #listener(): RunListener {
    const { member } = this.#options;
    return {
      event: (event, raw) => this.#handleEvent(event, raw),
      activity: () => this.#activeTurn?.alive(),
      oversize: (line: Extract<Line, { kind: "oversize" }>) =>
        this.#warn(
          "line_oversize",
          `${member} wrote a line of ${line.bytes} bytes, which is too long to be read.`,
          line.head,
        ),
      unfinished: (raw) => this.#warn("unfinished_line", `${member} exited in the middle of a line.`, raw),
    };
  }

  #handleEvent(event: DialectEvent, raw: string): void {
    const turn = this.#activeTurn;
    if (event.type === "member_guard") this.#gate.note(event.guard);
    if (event.type === "member_session" && SAFE_ARGUMENT.test(event.nativeSessionId)) {
      this.#nativeSessionId = event.nativeSessionId;
    }
    switch (event.type) {
      case "ready":
      case "not_ready":
        return;
      case "turn_over":
        return turn?.end(withoutType(event));
      case "background":
        if (turn !== undefined) turn.isBackground = true;
        return;
      case "unreadable":
        return turn === undefined ? this.#betweenTurns(raw) : turn.output.unreadable(raw);
      case "unexpected":
        return turn === undefined ? this.#betweenTurns(raw) : turn.output.unexpected(event.what, raw);
      default:
        if (turn !== undefined) return turn.pass(event, raw);
        return BETWEEN_TURNS.has(event.type) ? this.#up?.(event) : this.#betweenTurns(raw);
    }
  }

  #betweenTurns(raw: string): void {
    if (this.#hasWarnedBetween) return;
    this.#hasWarnedBetween = true;
    const message = `${this.#options.member} produced output outside of a turn.`;
    this.#up?.({ type: "warning", code: "between_turns", message, detail: cap(raw) });
  }

  #warn(code: string, message: string, raw: string): void {
    if (this.#activeTurn === undefined) this.#betweenTurns(raw);
    else this.#activeTurn.output.warn(code, message, raw);
  }

  #steer(input: SteerInput): void {
    const { dialect } = this.#options;
    const turn = this.#turn;
    if (turn === undefined || !turn.isPromptSent || turn.isStopRequested || turn.isCompaction) return;
    if (dialect.encodeSteer === undefined) return;
    void this.#run?.send((state) => dialect.encodeSteer?.(state, input) ?? { state });
  }

  #settle(turn: OpenTurn, end: TurnOver): void {
    turn.stopTimeouts();
    // Cleared before the end is emitted: the session may send the next turn from inside `turn_done`.
    if (this.#turn === turn) this.#turn = undefined;
    turn.output.settle(end);
  }

  /** Exit between turns: removes the record and ends remaining descendants. */
  async #afterExit(run: AgentRun<State>): Promise<void> {
    if (this.#activeTurn === undefined && this.#run === run) await this.#leave();
  }

  #watchIdle(): void {
    if (this.#turn !== undefined || this.#run === undefined || this.#closing !== undefined) return;
    this.#cancelIdle();
    this.#cancelIdle = this.#clock.after(this.#limits.idleMs, () => {
      if (this.#turn === undefined) this.#cleared = this.#leave();
    });
  }

  /** Stops the program gracefully, with all its descendants. */
  async #leave(): Promise<void> {
    const run = this.#run;
    if (run === undefined) return;
    this.#run = undefined;
    if (!run.process.hasExited) this.#start?.forgive();
    run.process.endInput();
    await run.process.stop({ isFinal: true, limits: CLOSE_KILL_SEQUENCE });
  }

  async #shut(): Promise<void> {
    this.#cancelIdle();
    // Yields first, so that no turn ends inside a call of `close`.
    await Promise.resolve();
    const turn = this.#turn;
    if (turn !== undefined) {
      const end: TurnOver = { outcome: "interrupted", reason: "closed" };
      turn.requestStop(end);
      this.#settle(turn, end);
    }
    await this.#leave();
    await this.#cleared;
    // A program that was being started when `close` was called runs by now.
    await this.#leave();
    await this.#leakedProcesses.endAll();
    this.#up = undefined;
  }
}

function withoutType({ type: _type, ...over }: Extract<DialectEvent, { type: "turn_over" }>): TurnOver {
  return over;
}
