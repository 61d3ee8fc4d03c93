/**
 * How a turn gets Codex's own id: from the answer to `turn/start`, or from `turn/started` where that is first.
 * Guarantees: what waited for the id is sent with it; a turn that is to be stopped is interrupted as soon as it has an
 * id, and again when it starts, where Codex had nothing to interrupt before. Pure.
 */
import { recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { interruptTurn, steerTurn } from "../calls.ts";
import { andThen, withTurn, type CodexState, type CodexStep, type CodexTurn } from "../state.ts";

/** Matches the sent turn to this id. */
export function identifyTurn(state: CodexState, nativeId: string): CodexStep {
  const { turn } = state;
  if (turn === undefined || turn.nativeId === nativeId) return { state };
  const running = withTurn(state, { nativeId, isBegun: false, steers: [] });
  if (turn.isStopRequested) return interruptTurn(running, nativeId);
  return turn.steers.reduce<CodexStep>((step, steer) => andThen(step, (next) => steerTurn(next, nativeId, steer)), {
    state: running,
  });
}

/** Also the turn in which Codex compacts: its call names none, so it is recognized by its start alone. */
export function handleTurnStarted(state: CodexState, params: Fields, turn: CodexTurn): CodexStep {
  const nativeId = textOf(recordOf(params, "turn"), "id");
  if (nativeId === undefined || !turn.isSent || (turn.nativeId ?? nativeId) !== nativeId) return { state };
  return andThen(identifyTurn(state, nativeId), (known) => {
    const begun = withTurn(known, { isBegun: true });
    if (turn.isStopRequested) return isInterrupting(begun, turn) ? { state: begun } : interruptTurn(begun, nativeId);
    return { state: begun, events: turn.isCompaction ? [] : [{ type: "status", state: "working" }] };
  });
}

function isInterrupting({ exchange }: CodexState, { input }: CodexTurn): boolean {
  return [...exchange.calls.values()].some((call) => call.kind === "interrupt" && call.turnId === input.turnId);
}

/**
 * Codex had nothing to interrupt because the turn had not started. Ending it here would let it run unseen: it is
 * interrupted again when it has started. Undefined when it will not.
 */
export function interruptLater(state: CodexState): CodexStep | undefined {
  const { turn } = state;
  if (turn === undefined || turn.nativeId === undefined) return { state };
  if (turn.isBegun) return interruptTurn(state, turn.nativeId);
  return turn.error === undefined ? { state } : undefined;
}
