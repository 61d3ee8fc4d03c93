/** How the end of a spoken turn is found: by the program's word, by its exit, by a broken pipe, or because somebody wants it. */
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
  /** The program did not leave by itself: its start was a good one. */
  readonly onAlive: () => void;
}

/** `accepted` tells whether the program took what it was asked. */
export async function awaitEnd<State>(
  run: AgentRun<State>,
  turn: OpenTurn,
  accepted: Promise<boolean>,
  options: AwaitEndOptions<State>,
): Promise<TurnOver> {
  const { member, program, dialect } = options;
  void watchPipes(run, turn, accepted, options);
  // Registered in this order: a program that says its end and leaves at once has not crashed.
  const first = await Promise.race([
    turn.over.promise.then((over) => ({ by: "program" as const, over })),
    turn.stopRequested.promise.then((over) => ({ by: "us" as const, over })),
    turn.ended.promise.then((end) => ({ by: "exit" as const, over: turnErrors.crashed(member, end, program) })),
  ]);
  if (first.by !== "exit") options.onAlive();
  // Why it failed it may have said on its other pipe.
  if (first.by === "program" && first.over.outcome === "errored") await drainBeforeTimeout();
  if (first.by !== "us") return first.over;
  const send = (): void => void run.send((state) => dialect.encodeInterrupt?.(state) ?? { state });
  const canInterrupt = dialect.encodeInterrupt !== undefined;
  const { how } = await run.process.stop(canInterrupt ? { interrupt: { send, answered: turn.over.promise } } : {});
  turn.isProgramLost = how !== "answered";
  if (first.over.outcome === "errored") return withStderr(run, first.over, options);
  // What the program says of an interrupted turn is believed, except that being interrupted was its own fault.
  const reported = await Promise.race([turn.over.promise, Promise.resolve(null)]);
  return reported === null || reported.outcome === "errored" ? first.over : reported;
}

type PipeOptions = Pick<AwaitEndOptions<never>, "member" | "limits" | "clock">;

/** Why a pipe broke a program often says only when it leaves. */
async function withStderr<State>(
  run: AgentRun<State>,
  over: TurnOver,
  { clock, limits }: PipeOptions,
): Promise<TurnOver> {
  if (!turnErrors.isBrokenPipe(over) || !run.process.hasExited) return over;
  await within(clock, limits.drainMs, run.ended);
  return turnErrors.withDetail(over, run.process.stderr);
}

/** A pipe that closes while the program lives on is as good as its end, once it had time to leave by itself. */
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
    turn.ended.promise.then(() => null),
  ]);
  if (broken === null || (await within(clock, limits.drainMs, turn.ended.promise))) return;
  // It has left meanwhile, which is told as such: somebody else merely holds the rest of its pipes.
  if (run.process.hasExited) return;
  const { stderr } = run.process;
  turn.requestStop(
    broken === "output" ? turnErrors.outputClosed(member, stderr) : turnErrors.inputClosed(member, broken.why, stderr),
  );
}
