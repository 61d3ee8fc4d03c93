/**
 * Keeps the conversation within the model's window by dropping old parts, when compaction is unavailable or not enough.
 * Whatever is dropped is reported and logged.
 */
import type { Conversation, DroppedCounts } from "./conversation.ts";
import type { AgentState } from "../agent-state.ts";
import { fillOf, presentWindow, tokensBeside } from "./meter.ts";
import type { RunningTurn } from "../running-turn.ts";
import { tokensOf } from "../requests/usage.ts";

/** The rest of the window is for the answer and for errors of the estimate. */
const SHARE_FOR_HISTORY = 0.75;
/** Where compaction comes first, dropping waits as long as possible. */
const SHARE_AFTER_COMPACTION = 0.9;
const SHARE_AFTER_UNDO = 0.97;

export function makeRoom(state: AgentState, turn: RunningTurn, system: string): void {
  const { conversation, limits } = state;
  const window = presentWindow(state);
  const over = window === undefined ? 0 : fillOf(state, tokensBeside(state, system)).tokens - window * shareFor(state);
  const forHistory = over <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, conversation.tokens - over);
  const dropped = conversation.fit(Math.min(forHistory, tokensOf(limits.historyBytesMax)));
  reportForgotten(
    state,
    turn,
    dropped,
    window === undefined ? "what is remembered" : `the ${window} tokens of its model`,
  );
}

function shareFor({ depth, conversation }: AgentState): number {
  if (depth > 0 || conversation.hasFailed) return SHARE_FOR_HISTORY;
  return conversation.isUndone ? SHARE_AFTER_UNDO : SHARE_AFTER_COMPACTION;
}

/** After the server rejected it as too long. False when nothing is left to drop. */
export function forgetMore(conversation: Conversation, forgotten: DroppedCounts): boolean {
  const turnsDropped = conversation.forgetHalf();
  const more = turnsDropped > 0 ? { turnsDropped, resultsDropped: 0 } : conversation.fit(conversation.tokens / 2);
  forgotten.turnsDropped += more.turnsDropped;
  forgotten.resultsDropped += more.resultsDropped;
  return more.turnsDropped + more.resultsDropped > 0;
}

export function reportForgotten(state: AgentState, turn: RunningTurn, forgotten: DroppedCounts, limit: string): void {
  const { turnsDropped, resultsDropped } = forgotten;
  if (turnsDropped + resultsDropped === 0) return;
  const entry = state.conversation.consumeForgotten();
  if (entry !== undefined && state.depth === 0) turn.show({ type: "context_entry", entry });
  const what = [
    ...(turnsDropped === 0 ? [] : [`${turnsDropped} of its oldest turns`]),
    ...(resultsDropped === 0 ? [] : [`${resultsDropped} older tool outputs of this turn`]),
  ].join(" and ");
  const message = `The conversation of ${state.spec.name} was longer than ${limit}; dropped: ${what}.`;
  turn.show({ type: "warning", code: "history_dropped", message });
}
