/**
 * The end of a turn of a Pi that has no `agent_settled` (0.73 and older). Its `agent_end` may be followed by a retry or a
 * compaction, which it tells at once, so it is asked for its state behind that: idle means that the turn is over.
 */
import type { Step } from "../../process/dialect.ts";
import type { Fields } from "../../record-fields.ts";
import { line, step, withTurn, type PiSetup, type PiState, type TurnState } from "./state.ts";
import { settle } from "./turn-end.ts";

const PREFIX = "idle-";
/** It says that it is busy for a moment after its last word; one that goes on says so with `agent_start`. */
const CHECKS_MAX = 1_000;

export function askIdle(state: PiState, turn: TurnState): Step<PiState> {
  if (turn.phase !== "running") return step(state);
  const idleCheck = { id: `${PREFIX}${state.commands}`, count: (turn.idleCheck?.count ?? 0) + 1 };
  const next = withTurn({ ...state, commands: state.commands + 1 }, { idleCheck });
  return step(next, [], line({ id: idleCheck.id, type: "get_state" }));
}

/** More of the turn is to come, whatever the answer to a check says. */
export function stayBusy(state: PiState): PiState {
  return state.turn === null ? state : withTurn(state, { idleCheck: null });
}

export function isIdleCheck(id: string): boolean {
  return id.startsWith(PREFIX);
}

export function handleIdleCheck(state: PiState, id: string, data: Fields, setup: PiSetup): Step<PiState> {
  const { turn } = state;
  if (turn === null || turn.idleCheck?.id !== id) return step(state);
  const isBusy = data["isStreaming"] === true || data["isCompacting"] === true;
  return isBusy && turn.idleCheck.count < CHECKS_MAX ? askIdle(state, turn) : settle(state, turn, false, setup);
}
