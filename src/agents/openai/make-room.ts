/** Keeps a conversation within what its model takes. What is forgotten for it is said, never dropped in silence. */
import type { Conversation, Fitted } from "./conversation.ts";
import { windowOf } from "./known-models.ts";
import type { MemberMind } from "./member-mind.ts";
import type { RunningTurn } from "./running-turn.ts";
import { tokensOf } from "./usage.ts";

/** The rest of the window is for the answer, and for what the estimate misses. */
const SHARE_FOR_HISTORY = 0.75;

export function makeRoom(mind: MemberMind, turn: RunningTurn, system: string): void {
  const { conversation, limits, choice, toolbox } = mind;
  const window = windowOf(mind, choice.candidates()[0] ?? "");
  const always = tokensOf(system.length + (mind.manners.takesTools ? JSON.stringify(toolbox.schemas()).length : 0));
  const forHistory = window === null ? Number.POSITIVE_INFINITY : Math.max(0, window * SHARE_FOR_HISTORY - always);
  const fitted = conversation.fit(Math.min(forHistory, tokensOf(limits.historyBytesMax)));
  tellOfForgotten(
    mind,
    turn,
    fitted,
    window === null ? "what is remembered" : `the ${window} tokens that its model takes`,
  );
}

/** After the server refused it as too long. False when there is nothing left to forget. */
export function forgetMore(conversation: Conversation, forgotten: Fitted): boolean {
  const turnsDropped = conversation.forgetHalf();
  const more = turnsDropped > 0 ? { turnsDropped, resultsDropped: 0 } : conversation.fit(conversation.tokens / 2);
  forgotten.turnsDropped += more.turnsDropped;
  forgotten.resultsDropped += more.resultsDropped;
  return more.turnsDropped + more.resultsDropped > 0;
}

export function tellOfForgotten({ spec }: MemberMind, turn: RunningTurn, forgotten: Fitted, limit: string): void {
  const { turnsDropped, resultsDropped } = forgotten;
  if (turnsDropped + resultsDropped === 0) return;
  const what = [
    ...(turnsDropped === 0 ? [] : [`${turnsDropped} of its oldest turns`]),
    ...(resultsDropped === 0 ? [] : [`${resultsDropped} older tool outputs of this turn`]),
  ].join(" and ");
  const message = `The conversation of ${spec.name} was longer than ${limit}; it has forgotten ${what}.`;
  turn.show({ type: "warning", code: "history_dropped", message });
}
