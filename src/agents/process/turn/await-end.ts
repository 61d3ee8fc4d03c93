/** Detects the end of a turn: the program's result, its exit, a broken pipe, or a requested stop. */
import type { Clock } from "../../../kit/clock.ts";
import { drainBeforeTimeout } from "../../../kit/io/drain-before-timeout.ts";
import type { AgentRun } from "../agent-run.ts";
import type { Dialect, TurnOver } from "../dialect.ts";
import * as turnErrors from "../turn-errors.ts";
import type { ProcessLimits } from "../limits.ts";
import type { OpenTurn } from "./open-turn.ts";
import { within } from "../wait.ts";

export interface AwaitEndOptions<State> {
  readonly member: string;
  readonly program: turnErrors.ProgramFacts;
  readonly dialect: Dialect<State>;
  readonly limits: ProcessLimits;
  readonly clock: Clock;
  /** The program did not exit by itself, so its start was good. */
  readonly onAlive: () => void;
}

/** `accepted` resolves with whether the program accepted the prompt. */
export async function awaitEnd<State>(
  run: AgentRun<State>,
  turn: OpenTurn,
  accepted: Promise<boolean>,
  options: AwaitEndOptions<State>,
): Promise<TurnOver> {
  const { member, program, dialect } = options;
  void watchPipes(run, turn, accepted, options);
  // In this order: a program that reports the end and exits at once has not crashed.
  const first = await Promise.race([
    turn.over.promise.then((over) => ({ by: "program" as const, over })),
    turn.stopRequested.promise.then((over) => ({ by: "us" as const, over })),
    turn.ended.promise.then((end) => ({ by: "exit" as const, over: turnErrors.crashed(member, end, program) })),
  ]);
  if (first.by !== "exit") options.onAlive();
  // The reason may be on stderr, which is read a moment later.
  if (first.by === "program" && first.over.outcome === "errored") await drainBeforeTimeout();
  if (first.by !== "us") return first.over;
  const send = (): void => void run.send((state) => dialect.encodeInterrupt?.(state) ?? { state });
  const canInterrupt = dialect.encodeInterrupt !== undefined;
  const { how } = await run.process.stop(canInterrupt ? { interrupt: { send, answered: turn.over.promise } } : {});
  turn.isProgramLost = how !== "answered";
  if (first.over.outcome === "errored") return withStderr(run, first.over, options);
  // The program's report about an interrupted turn is used, unless it reports the interrupt as an error.
  const reported = await Promise.race([turn.over.promise, Promise.resolve(undefined)]);
  return reported === undefined || reported.outcome === "errored" ? first.over : reported;
}

type PipeOptions = Pick<AwaitEndOptions<never>, "member" | "limits" | "clock">;

/** A program often prints why a pipe broke only when it exits. */
async function withStderr<State>(
  run: AgentRun<State>,
  over: TurnOver,
  { clock, limits }: PipeOptions,
): Promise<TurnOver> {
  if (!turnErrors.isBrokenPipe(over) || !run.process.hasExited) return over;
  await within(clock, limits.drainMs, run.ended);
  return turnErrors.withDetail(over, run.process.stderr);
}

/** A pipe that closes while the program lives on ends the turn, after some time to exit by itself. */
async function watchPipes<State>(
  run: AgentRun<State>,
  turn: OpenTurn,
  accepted: Promise<boolean>,
  { member, clock, limits }: PipeOptions,
): Promise<void> {
  const rejected = accepted.then((isAccepted) => (isAccepted ? new Promise<never>(() => {}) : run.process.inputLost));
  const broken = await Promise.race([
    turn.outputEnded.promise.then(() => "output" as const),
    rejected.then((why) => ({ why })),
    turn.ended.promise.then(() => undefined),
  ]);
  if (broken === undefined || (await within(clock, limits.drainMs, turn.ended.promise))) return;
  // It has exited meanwhile, which is reported as such: another process merely holds the rest of its pipes.
  if (run.process.hasExited) return;
  const { stderr } = run.process;
  turn.requestStop(
    broken === "output" ? turnErrors.outputClosed(member, stderr) : turnErrors.inputClosed(member, broken.why, stderr),
  );
}
