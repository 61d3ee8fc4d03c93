/** Texts about exchanges for the model that asked; they never contain text of a member. */

import type { TurnEndFacts } from "../../turn/turn.ts";
import type { Ledger } from "../../ledger.ts";

export const selfMessage = "You cannot ask yourself. Ask another member, or go on.";

export function noSuchMember(to: string, others: readonly string[]): string {
  const who = others.length === 0 ? "Nobody else sits here." : `You can ask ${others.join(", ")}.`;
  return `There is no member "${to}" at this table. ${who}`;
}

export const isMuted = (to: string): string => `${to} is muted by the user and cannot be asked now.`;
export const hasLeft = (to: string): string => `${to} has left the table before it answered.`;
export const wasStopped = (to: string): string => `${to} was stopped before it had answered.`;
export const stoppedByUser = (to: string): string =>
  `${to} was stopped by the user and is not asked again until the user writes. Go on without it.`;
const restarted = (to: string): string => `restart: the program ended before ${to} had answered.`;
export const cleared = "The conversation was cleared before the question was answered.";
export const askerGone = (asker: string): string => `${asker} ended its turn without waiting for the answer.`;
export const askerStopped = (asker: string): string => `The turn of ${asker} that asked was stopped.`;

export function inCycle(cycle: readonly string[]): string {
  const [to = "", ...rest] = cycle;
  const why = rest.length <= 1 ? `${to} waits for your answer` : `${to} waits for ${rest.join(", which waits for ")}`;
  return `You cannot wait for ${to}: ${why}, so nobody could go on. Finish your own turn with what you know, or ask with wait: false.`;
}

export const limitReached = ({ limit, max, scope }: { limit: string; max: number; scope: string }): string =>
  `The limit of ${max} ${limit} for this ${scope} is reached, so nobody else is asked until the user goes on. Finish with what you have.`;
export const tooDeep = (max: number): string =>
  `This question is already ${max} members away from what the user asked; nobody is asked further on. Answer with what you know.`;
export const tooManyInTurn = (max: number): string =>
  `You have asked ${max} times in this turn, which is the limit. Go on with what you have.`;
export const tooManyForMessage = (max: number): string =>
  `Members have asked each other ${max} times about this message of the user, which is the limit. Go on with what you have.`;
export const tooManyBetween = (to: string, max: number): string =>
  `You and ${to} have asked each other ${max} times since the user last wrote, which is the limit. Say what is open in your answer and leave it to the user.`;
export const tooManyWaiting = (to: string, max: number): string =>
  `${max} questions already wait for ${to}, which is the limit. Ask later or ask another member.`;
export const tooLong = (bytes: number, max: number): string =>
  `The question has ${bytes} bytes and may have ${max}. Ask shorter, or name a file that the other can read.`;
export const tooLate = (to: string, seconds: number): string => `${to} did not answer within ${seconds} s.`;
export const thanksNoted = "Noted. Thanks and acknowledgements wake nobody.";
export const willAnswerLater = (to: string): string =>
  `${to} is asked. Its answer reaches you in a later turn; go on or end your turn.`;

/** Why the answering turn has no answer; undefined when it has one. */
export function failureOf(to: string, { outcome, error, reason }: TurnEndFacts): string | undefined {
  if (outcome === "completed") return undefined;
  if (outcome === "timed_out") return `${to} took too long and was stopped before it had answered.`;
  if (outcome === "interrupted") return reason === "member_left" ? hasLeft(to) : wasStopped(to);
  return `${to} failed before it had answered: ${error?.message ?? reason ?? "it did not say why"}`;
}

export const emptyAnswer = (to: string): string => `${to} ended its turn without a word.`;

export function answersCame(names: readonly string[]): string {
  const who = [...new Set(names)].join(" and ");
  return `${who} answered what you had asked earlier; the answer is the last thing above. If it changes anything, say what. If not, say that you have nothing to add.`;
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
