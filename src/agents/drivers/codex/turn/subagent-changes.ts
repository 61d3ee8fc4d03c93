/**
 * What is kept of the threads of subagents: the turn that each is at, for a stop, and file changes while they are open.
 * Nothing of a subagent is shown but through the call that started it, and yet its changes are asked for: by an id that
 * tells nothing without what was heard before.
 */
import { recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import type { CodexState } from "../state.ts";

/** Of more, the oldest are forgotten, and a request for one of those is refused. */
export const SUBAGENT_CHANGES_MAX = 100;
/** Of more at once, the later ones work on when their member is stopped. */
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
      return followTurn(state, threadId, method === "turn/started" ? textOf(recordOf(params, "turn"), "id") : null);
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

/** Null: it is at none any more. */
function followTurn(state: CodexState, threadId: string, turnId: string | null): CodexState {
  const turns = new Map(state.subagentTurns);
  turns.delete(threadId);
  if (turnId !== null && turns.size < SUBAGENT_TURNS_MAX) turns.set(threadId, turnId);
  return { ...state, subagentTurns: turns };
}

function keyOf(threadId: string, itemId: string | null): string {
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
