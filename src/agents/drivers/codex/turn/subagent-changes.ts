/**
 * State of subagents' threads: the turn of each, for an interrupt, and its open file changes. A subagent is shown only
 * through the call that started it, but its changes need approval: by an id that means nothing without the earlier
 * items.
 */
import { recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import type { CodexState } from "../state.ts";

/** Beyond it the oldest are forgotten, and requests about those are refused. */
export const SUBAGENT_CHANGES_MAX = 100;
/** Beyond it, later ones continue when their member is stopped. */
const SUBAGENT_TURNS_MAX = 200;

export function handleSubagentNotification(
  state: CodexState,
  threadId: string,
  method: string,
  params: Fields,
): CodexState {
  const item = recordOf(params, "item");
  switch (method) {
    case "turn/started":
    case "turn/completed":
      return followTurn(
        state,
        threadId,
        method === "turn/started" ? textOf(recordOf(params, "turn"), "id") : undefined,
      );
    case "item/started":
      return textOf(item, "type") === "fileChange"
        ? storeChange(state, keyOf(threadId, textOf(item, "id")), item)
        : state;
    case "item/fileChange/patchUpdated": {
      const key = keyOf(threadId, textOf(params, "itemId"));
      const before = state.subagentChanges.get(key);
      return before === undefined ? state : storeChange(state, key, { ...before, changes: params["changes"] });
    }
    case "item/completed":
      return forget(state, keyOf(threadId, textOf(item, "id")));
    default:
      return state;
  }
}

export function subagentChange({ subagentChanges }: CodexState, threadId: string, itemId: string): Fields | undefined {
  return subagentChanges.get(keyOf(threadId, itemId));
}

/** Undefined: it has none any more. */
function followTurn(state: CodexState, threadId: string, turnId: string | undefined): CodexState {
  const turns = new Map(state.subagentTurns);
  turns.delete(threadId);
  if (turnId !== undefined && turns.size < SUBAGENT_TURNS_MAX) turns.set(threadId, turnId);
  return { ...state, subagentTurns: turns };
}

function keyOf(threadId: string, itemId: string | undefined): string {
  return JSON.stringify([threadId, itemId]);
}

function storeChange(state: CodexState, key: string, item: Fields): CodexState {
  const changes = new Map(state.subagentChanges).set(key, item);
  const [oldest] = changes.keys();
  if (changes.size > SUBAGENT_CHANGES_MAX && oldest !== undefined) changes.delete(oldest);
  return { ...state, subagentChanges: changes };
}

function forget(state: CodexState, key: string): CodexState {
  if (!state.subagentChanges.has(key)) return state;
  const subagentChanges = new Map(state.subagentChanges);
  subagentChanges.delete(key);
  return { ...state, subagentChanges };
}
