/** Texts about exchanges for the model that asked; they never contain text of a member. */

import type { TurnEndFacts } from "../../turn/turn.ts";
import type { Ledger } from "../../ledger.ts";

export const selfMessage = "You cannot ask yourself. Ask another member, or continue.";

export function noSuchMember(to: string, others: readonly string[]): string {
  const who = others.length === 0 ? "There are no other members." : `You can ask ${others.join(", ")}.`;
  return `There is no member "${to}". ${who}`;
}

export const isMuted = (to: string): string => `${to} is muted by the user and cannot be asked now.`;
export const hasLeft = (to: string): string => `${to} left the session before it answered.`;
export const wasStopped = (to: string): string => `${to} was stopped before it answered.`;
export const stoppedByUser = (to: string): string =>
  `${to} was stopped by the user and cannot be asked until the user sends a message. Continue without it.`;
const restarted = (to: string): string => `restart: the program ended before ${to} answered.`;
export const cleared = "The conversation was cleared before the question was answered.";
export const askerGone = (asker: string): string => `${asker} ended its turn without waiting for the answer.`;
export const askerStopped = (asker: string): string => `The turn of ${asker} that asked was stopped.`;

export function inCycle(cycle: readonly string[]): string {
  const [to = "", ...rest] = cycle;
  const why = rest.length <= 1 ? `${to} waits for your answer` : `${to} waits for ${rest.join(", which waits for ")}`;
  return `You cannot wait for ${to}: ${why}, so nobody could continue. Finish your turn with what you know, or ask with wait: false.`;
}

export const limitReached = ({ limit, max, scope }: { limit: string; max: number; scope: string }): string =>
  `The limit of ${max} ${limit} for this ${scope} is reached; no other member is asked until the user continues. Finish with what you have.`;
export const tooDeep = (max: number): string =>
  `Questions between members are nested at most ${max} deep. Answer with what you know.`;
export const tooManyInTurn = (max: number): string =>
  `You have asked ${max} times in this turn, which is the limit. Continue with what you have.`;
export const tooManyForMessage = (max: number): string =>
  `Members have asked each other ${max} times about this message of the user, which is the limit. Continue with what you have.`;
export const tooManyBetween = (to: string, max: number): string =>
  `You and ${to} have asked each other ${max} times since the user last wrote, which is the limit. State open points in your answer and leave them to the user.`;
export const tooManyWaiting = (to: string, max: number): string =>
  `${max} questions already wait for ${to}, which is the limit. Ask later or ask another member.`;
export const tooLong = (bytes: number, max: number): string =>
  `The question has ${bytes} bytes; the limit is ${max}. Shorten it, or name a file that the other member can read.`;
export const tooLate = (to: string, seconds: number): string => `${to} did not answer within ${seconds} s.`;
export const thanksNoted = "Noted. Thank-you messages do not start a turn.";
export const willAnswerLater = (to: string): string =>
  `${to} was asked. Its answer arrives in a later turn; continue or end your turn.`;

/** Why the answering turn has no answer; undefined when it has one. */
export function failureOf(to: string, { outcome, error, reason }: TurnEndFacts): string | undefined {
  if (outcome === "completed") return undefined;
  if (outcome === "timed_out") return `${to} took too long and was stopped before it answered.`;
  if (outcome === "interrupted") return reason === "member_left" ? hasLeft(to) : wasStopped(to);
  return `${to} failed before it answered: ${error?.message ?? reason ?? "it gave no reason"}`;
}

export const emptyAnswer = (to: string): string => `${to} ended its turn without an answer.`;

export function answersCame(names: readonly string[]): string {
  const who = [...new Set(names)].join(" and ");
  return `${who} answered your earlier question; the answer is the last message above. Say what it changes, or say that you have nothing to add.`;
}

/** Settles questions that a restart cut, so that no block waits forever. Safe to repeat. */
export function recoverExchanges(ledger: Ledger): void {
  ledger.append(
    ledger.memory.exchanges.open().map(({ agentExchangeId, to }) => ({
      type: "agent_callback_result",
      agentExchangeId,
      member: to,
      ok: false,
      text: restarted(to),
    })),
  );
}
