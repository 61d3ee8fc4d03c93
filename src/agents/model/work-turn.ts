/**
 * One turn from its beginning to its end, of the member or of a subagent: asks, runs tools, waits for what they started
 * to be gone, leaves the conversation valid and reports what has changed.
 */
import { describeTurnError } from "../turn-error.ts";
import { within } from "../process/wait.ts";
import { noteFor } from "./context/conversation.ts";
import type { AgentState } from "./agent-state.ts";
import { ModelError } from "./requests/model-error.ts";
import type { RunningTurn, TurnEnd } from "./running-turn.ts";
import { runSubagent } from "./subagent.ts";
import { ToolRunner } from "./tools/run-tool.ts";
import { runTurn } from "./turn-loop.ts";

/** Never rejects. `linger` gets what goes on after the turn; it never rejects either. */
export async function workTurn(
  state: AgentState,
  turn: RunningTurn,
  linger: (work: Promise<unknown>) => void,
): Promise<TurnEnd> {
  const { spec, root, setup, toolbox, judge, clock, limits } = state;
  const runner = new ToolRunner({
    member: spec.name,
    root,
    setup,
    turn,
    toolbox,
    judge,
    clock,
    limits,
    spawn: (order) => runSubagent(state, turn, order, workTurn),
  });
  const draft = { partial: "" };
  const work = runTurn(state, turn, runner, draft).then(
    (): TurnEnd => ({ outcome: "completed" }),
    (thrown: unknown): TurnEnd => describe(spec.name, thrown),
  );
  const end = await Promise.race([work, turn.stopped]);
  const gone = Promise.allSettled([work, runner.gone()]);
  linger(gone);
  await within(clock, limits.goneMs, gone);
  state.conversation.endTurn(draft.partial, noteFor(end));
  const report = runner.changes.report();
  if (report !== null) turn.show(report);
  return end;
}

function describe(member: string, thrown: unknown): TurnEnd {
  if (!(thrown instanceof ModelError)) return describeTurnError(member, thrown);
  const error = thrown.toTurnError();
  return { outcome: "errored", reason: error.code, error };
}
