/**
 * Drives any line-based agent program behind the agents' port; an agent kind brings its dialect and how to launch it.
 *
 * Promises beyond the port: the program lives while its member sits, at most `idleMs` without work, and is started
 * again within a budget; what a turn started is gone when the turn ends, unless the agent declared it background work;
 * an interrupted turn is shown as ended at once, and the next one waits until the program has really let go.
 */
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Capabilities } from "../../protocol/index.ts";
import type { Agent, AgentEvent, AnswerResult, SteerInput, TurnInput } from "../port.ts";
import type { AgentRun, RunListener } from "./agent-run.ts";
import type { Dialect, DialectEvent, TurnOver } from "./dialect.ts";
import * as faults from "./faults.ts";
import { launchProgram, type Launch, type Launched, type LaunchOptions } from "./launch.ts";
import type { Line } from "./lines.ts";
import { processLimits, type ProcessLimits } from "./limits.ts";
import { OpenTurn } from "./open-turn.ts";
import type { ProcessRecords } from "./process-records.ts";
import { createRestartBudget, type CountedStart, type RestartBudget } from "./restart-budget.ts";
import type { Defect } from "./supervised-process.ts";
import { cap } from "./turn-output.ts";
import { within } from "./wait.ts";

export interface ProcessAgentOptions<State> {
  readonly member: string;
  readonly capabilities: Capabilities;
  readonly dialect: Dialect<State>;
  readonly launch: Launch;
  readonly records: ProcessRecords;
  /** From before this process of ours began. */
  readonly nativeSessionId?: string | undefined;
  readonly limits?: Partial<ProcessLimits>;
  readonly clock?: Clock;
  /** Takes a seat at a program that several members share, instead of starting one for this member alone. */
  readonly open?: (options: LaunchOptions<State>) => Promise<Launched<State>>;
  /** For the suite, which must notice each of them. */
  readonly defect?: Defect;
}

/** What a turn has left behind may tidy up for this long. */
const LEFTOVER_POLITE_MS = 200;
/** Turns whose background work may go on at the same time; the oldest makes room. */
const BACKGROUND_MAX = 8;
const CLOSE_LADDER = { interruptMs: 0, sigintMs: 0, sigtermMs: 2_500, goneMs: 1_000 };
const SAFE_ARGUMENT = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/;

/** Events that mean something without a turn. */
const BETWEEN_TURNS = new Set([
  "member_session",
  "model_fallback",
  "context_update",
  "warning",
  "ui_status",
  "ui_notify",
]);

export function createProcessAgent<State>(options: ProcessAgentOptions<State>): Agent {
  return new ProcessAgent(options);
}

class ProcessAgent<State> implements Agent {
  readonly capabilities: Capabilities;
  readonly #options: ProcessAgentOptions<State>;
  readonly #limits: ProcessLimits;
  readonly #clock: Clock;
  readonly #budget: RestartBudget;
  #up: ((event: AgentEvent) => void) | null = null;
  #run: AgentRun<State> | null = null;
  #start: CountedStart | null = null;
  /** Accepted and not ended yet. */
  #turn: OpenTurn | null = null;
  /** The one the program works on; it may have been shown as ended before the program let go of it. */
  #speaking: OpenTurn | null = null;
  /** Resolves when the turn before, and whatever it started, is out of the way. */
  #cleared: Promise<void> = Promise.resolve();
  /** Programs that left, of which something goes on. */
  #background: AgentRun<State>[] = [];
  #cancelIdle: () => void = () => {};
  #nativeSessionId: string | null = null;
  #hasWarnedBetween = false;
  #closing: Promise<void> | null = null;

  constructor(options: ProcessAgentOptions<State>) {
    this.#options = options;
    this.capabilities = options.capabilities;
    this.#limits = { ...processLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    if (SAFE_ARGUMENT.test(options.nativeSessionId ?? "")) this.#nativeSessionId = options.nativeSessionId ?? null;
    const { startsMax, startsWindowMs: windowMs } = this.#limits;
    this.#budget = createRestartBudget({ member: options.member, clock: this.#clock, startsMax, windowMs });
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    // What goes wrong here goes wrong again with the first turn, which then says so.
    if (this.#options.launch.isEager === true) await this.#seat(null);
  }

  send(input: TurnInput | SteerInput): void {
    if (this.#up === null || this.#closing !== null) return;
    if (input.kind === "steer") return this.#steer(input);
    const turn = new OpenTurn(input, this.#options.member, this.#limits, (event) => this.#up?.(event));
    if (this.#turn !== null) return queueMicrotask(() => turn.output.settle(faults.busy(this.#options.member)));
    this.#turn = turn;
    this.#cancelIdle();
    void this.#perform(turn);
  }

  interrupt(): void {
    const turn = this.#turn;
    if (turn === null || turn.isStopAsked) return;
    const end: TurnOver = { outcome: "interrupted", reason: "interrupted" };
    turn.askStop(end);
    this.#clock.after(this.#limits.interruptShownMs, () => this.#settle(turn, end));
  }

  answer(callId: string, result: AnswerResult): void {
    const { dialect } = this.#options;
    if (this.#turn?.takeAnswer(callId) !== true || dialect.encodeAnswer === undefined) return;
    void this.#run?.say((state) => dialect.encodeAnswer?.(state, callId, result) ?? { state });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  /** Never rejects: a turn that meets a fault of ours ends errored like any other. */
  async #perform(turn: OpenTurn): Promise<void> {
    await this.#cleared;
    if (turn.output.isSettled) return;
    const cleared = Promise.withResolvers<void>();
    this.#cleared = cleared.promise;
    try {
      const end = await this.#converse(turn);
      await this.#tidy(turn);
      this.#settle(turn, end);
    } catch (thrown) {
      await this.#run?.process.stop();
      const message = `${this.#options.member} was let down by a fault of Roundtable: ${String(thrown)}`;
      this.#settle(turn, faults.errored({ code: "internal", message }));
    } finally {
      turn.stopTime();
      this.#run?.watch(null);
      // Here, not at the start of the next turn: a program that dies at once has said why before it was asked anything.
      this.#run?.process.forgetStderr();
      this.#speaking = null;
      cleared.resolve();
      this.#watchIdle();
    }
  }

  async #converse(turn: OpenTurn): Promise<TurnOver> {
    const { member, dialect } = this.#options;
    this.#speaking = turn;
    this.#hasWarnedBetween = false;
    const refused = await this.#seat(turn);
    if (this.#closing !== null) await this.#leave();
    const run = this.#run;
    if (run === null) return refused ?? faults.errored({ code: "crashed", message: `${member} ended at once.` });
    turn.startTime(this.#clock, this.#limits, {
      onQuiet: (ms) => turn.output.warn("silent", `${member} has said nothing for ${faults.seconds(ms)}.`),
      onSilent: (ms) => turn.askStop(faults.silent(member, ms)),
      onTooLong: (ms) => turn.askStop(faults.tooLong(member, ms)),
    });
    run.watch({ ended: turn.ended.resolve, outputEnded: turn.outputEnded.resolve });
    await Promise.race([run.ready, turn.ended.promise, turn.stopAsked.promise]);
    // Nothing was said yet, so there is nothing to take back.
    if (turn.isStopAsked) return turn.stopAsked.promise;
    turn.before = run.process.family.glance();
    turn.isSpoken = true;
    const taken = run.say((state) => dialect.encodeTurn(state, turn.input));
    return this.#awaitEnd(run, turn, taken);
  }

  /** By the program's word, by its exit, by a broken pipe, or because somebody wants it to end. */
  async #awaitEnd(run: AgentRun<State>, turn: OpenTurn, taken: Promise<boolean>): Promise<TurnOver> {
    const { member } = this.#options;
    void this.#watchPipes(run, turn, taken);
    // Registered in this order: a program that says its end and leaves at once has not crashed.
    const first = await Promise.race([
      turn.over.promise.then((over) => ({ by: "program" as const, over })),
      turn.stopAsked.promise.then((over) => ({ by: "us" as const, over })),
      turn.ended.promise.then((end) => ({ by: "exit" as const, over: faults.crashed(member, end) })),
    ]);
    if (first.by !== "exit") this.#start?.forgive();
    if (first.by !== "us") return first.over;
    const { dialect } = this.#options;
    const send = (): void => void run.say((state) => dialect.encodeInterrupt?.(state) ?? { state });
    const isPolite = dialect.encodeInterrupt !== undefined;
    const { how } = await run.process.stop(isPolite ? { interrupt: { send, answered: turn.over.promise } } : {});
    turn.isProgramLost = how !== "answered";
    if (first.over.outcome === "errored") return this.#withLastWords(run, first.over);
    // What the program says of an interrupted turn is believed, except that being interrupted was its own fault.
    const told = await Promise.race([turn.over.promise, Promise.resolve(null)]);
    return told === null || told.outcome === "errored" ? first.over : told;
  }

  /** Why a pipe broke a program often says only when it leaves. */
  async #withLastWords(run: AgentRun<State>, over: TurnOver): Promise<TurnOver> {
    if (!faults.isBrokenPipe(over) || !run.process.hasExited) return over;
    await within(this.#clock, this.#limits.drainMs, run.ended);
    return faults.withDetail(over, run.process.stderr);
  }

  /** A pipe that closes while the program lives on is as good as its end, once it had time to leave by itself. */
  async #watchPipes(run: AgentRun<State>, turn: OpenTurn, taken: Promise<boolean>): Promise<void> {
    const { member } = this.#options;
    const notTaken = taken.then((isTaken) => (isTaken ? new Promise<never>(() => {}) : run.process.inputLost));
    const broken = await Promise.race([
      turn.outputEnded.promise.then(() => "output" as const),
      notTaken.then((why) => ({ why })),
      turn.ended.promise.then(() => null),
    ]);
    if (broken === null || (await within(this.#clock, this.#limits.drainMs, turn.ended.promise))) return;
    const { stderr } = run.process;
    turn.askStop(
      broken === "output" ? faults.outputClosed(member, stderr) : faults.inputClosed(member, broken.why, stderr),
    );
  }

  /** Ends what the turn started, and the program too where it serves one turn only. */
  async #tidy(turn: OpenTurn): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    turn.stopTime();
    const { launch, defect } = this.#options;
    const { process } = run;
    if (launch.lifetime === "turn" && !process.hasExited) {
      process.endInput();
      await within(this.#clock, this.#limits.postResultMs, process.exited);
      if (process.hasExited && turn.isBackground) return this.#keepInBackground(run);
    }
    if (launch.lifetime === "turn" || process.hasExited || turn.isProgramLost) {
      const { left } = await process.stop();
      // Not longer than that: a process that the system cannot end never gets there.
      await within(this.#clock, this.#limits.drainMs, run.ended);
      if (this.#run === run) this.#run = null;
      return this.#tellLeft(turn, left.length);
    }
    if (turn.isBackground || defect === "kill-group-only") return;
    const spare = new Set([...turn.before, ...(await this.#helpers(run))]);
    const limitMs = this.#limits.ladder.goneMs;
    const left = await process.family.end({ spare, politeMs: LEFTOVER_POLITE_MS, limitMs });
    this.#tellLeft(turn, left.length);
  }

  /** A program of one turn has left, what it declared as background work goes on until the member leaves. */
  async #keepInBackground(run: AgentRun<State>): Promise<void> {
    this.#run = null;
    this.#background.push(run);
    if (this.#background.length > BACKGROUND_MAX) await this.#background.shift()?.process.stop();
  }

  async #helpers(run: AgentRun<State>): Promise<number[]> {
    const { isHelper } = this.#options.launch;
    if (isHelper === undefined) return [];
    const { family } = run.process;
    const rows = await Promise.all(
      (await family.find()).map(async (row) => ({ pid: row.pid, isHelper: isHelper(await family.commandOf(row)) })),
    );
    return rows.filter((row) => row.isHelper).map((row) => row.pid);
  }

  #tellLeft(turn: OpenTurn, count: number): void {
    if (count === 0) return;
    const message = `${count} processes that ${this.#options.member} started could not be ended.`;
    turn.output.warn("left_behind", message);
  }

  /** Makes sure that a program runs. What keeps it from running is returned. */
  async #seat(turn: OpenTurn | null): Promise<TurnOver | null> {
    if (this.#run !== null && !this.#run.process.hasExited) return null;
    await this.#leave();
    const known = { nativeSessionId: this.#nativeSessionId, model: turn?.input.model ?? null };
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
    return null;
  }

  #listener(): RunListener {
    const { member } = this.#options;
    return {
      event: (event, raw) => this.#hear(event, raw),
      activity: () => this.#speaking?.alive(),
      read: (bytes) => this.#speaking?.output.count(bytes),
      oversize: (line: Extract<Line, { kind: "oversize" }>) =>
        this.#warn(
          "line_oversize",
          `${member} wrote a line of ${line.bytes} bytes, which is too long to be read.`,
          line.head,
        ),
      unfinished: (raw) => this.#warn("unfinished_line", `${member} stopped in the middle of a line.`, raw),
    };
  }

  #hear(event: DialectEvent, raw: string): void {
    const turn = this.#speaking;
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
        if (turn !== null) turn.isBackground = true;
        return;
      case "unreadable":
        return turn === null ? this.#betweenTurns(raw) : turn.output.unreadable(raw);
      case "unexpected":
        return turn === null ? this.#betweenTurns(raw) : turn.output.unexpected(event.what, raw);
      default:
        if (turn !== null) return turn.pass(event, raw);
        return BETWEEN_TURNS.has(event.type) ? this.#up?.(event) : this.#betweenTurns(raw);
    }
  }

  #betweenTurns(raw: string): void {
    if (this.#hasWarnedBetween) return;
    this.#hasWarnedBetween = true;
    const message = `${this.#options.member} wrote something while it had no turn.`;
    this.#up?.({ type: "warning", code: "between_turns", message, detail: cap(raw) });
  }

  #warn(code: string, message: string, raw: string): void {
    if (this.#speaking === null) this.#betweenTurns(raw);
    else this.#speaking.output.warn(code, message, raw);
  }

  #steer(input: SteerInput): void {
    const { dialect } = this.#options;
    const turn = this.#turn;
    if (turn === null || !turn.isSpoken || turn.isStopAsked || dialect.encodeSteer === undefined) return;
    void this.#run?.say((state) => dialect.encodeSteer?.(state, input) ?? { state });
  }

  #settle(turn: OpenTurn, end: TurnOver): void {
    turn.stopTime();
    // Free before the end is told: the session may send the next turn from inside `turn_done`.
    if (this.#turn === turn) this.#turn = null;
    turn.output.settle(end);
  }

  /** The program left while nobody waited for it: its record and whatever it left behind go too. */
  async #afterExit(run: AgentRun<State>): Promise<void> {
    if (this.#speaking === null && this.#run === run) await this.#leave();
  }

  #watchIdle(): void {
    if (this.#turn !== null || this.#run === null || this.#closing !== null) return;
    this.#cancelIdle();
    this.#cancelIdle = this.#clock.after(this.#limits.idleMs, () => {
      if (this.#turn === null) this.#cleared = this.#leave();
    });
  }

  /** Lets the program go, politely, with everything it started. */
  async #leave(): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    this.#run = null;
    if (!run.process.hasExited) this.#start?.forgive();
    run.process.endInput();
    await run.process.stop({ isFinal: true, limits: CLOSE_LADDER });
  }

  async #shut(): Promise<void> {
    this.#cancelIdle();
    // A step aside first, so that the end of a turn never comes up inside `close`.
    await Promise.resolve();
    const turn = this.#turn;
    if (turn !== null) {
      const end: TurnOver = { outcome: "interrupted", reason: "closed" };
      turn.askStop(end);
      this.#settle(turn, end);
    }
    await this.#leave();
    await this.#cleared;
    // A program that was just being started when we came has been seated since.
    await this.#leave();
    await Promise.all(this.#background.splice(0).map((run) => run.process.stop()));
    this.#up = null;
  }
}

function withoutType({ type: _type, ...over }: Extract<DialectEvent, { type: "turn_over" }>): TurnOver {
  return over;
}
