/** Answers to one question: who answered, and how it ended. Pure. */
import type { Outcome, Usage } from "../../protocol/index.ts";
import {
  belongsTo,
  deliveriesOf,
  isQuietTurn,
  loadedMessages,
  turnText,
  type MemberState,
  type Transcript,
  type TurnEnd,
  type TurnMessage,
  type UserMessage,
} from "../../transcript/index.ts";

export interface MemberAnswer {
  member: string;
  /** Of the last turn; "dropped" when the question never reached the member. */
  outcome: Outcome | "dropped";
  /** Without turns that had nothing to add. */
  text: string;
  turns: number;
  /** Rounds in which it had nothing to add; absent when there is none. */
  quietRounds?: number[];
  durationMs: number;
  usage?: Usage;
  error?: NonNullable<TurnEnd["error"]>;
  /** What prevents it from changing files unasked; absent until one of its programs started. */
  guard?: NonNullable<MemberState["guard"]>;
}

/** One entry per addressee, in order, then one per other member that answered. */
export function answersTo(transcript: Transcript, question: UserMessage): MemberAnswer[] {
  const turns = [...loadedMessages(transcript)].filter((message) => belongsTo(question, message));
  const main = turns.filter((turn) => turn.depth === 0);
  const names = [...new Set([...question.to, ...main.map((turn) => turn.member)])];
  return names.map((member) => {
    const own = main.filter((turn) => turn.member === member);
    return withGuard(answerOf(member, own, transcript, question), transcript);
  });
}

function withGuard(answer: MemberAnswer, { head }: Transcript): MemberAnswer {
  const guard = head.members[answer.member]?.guard;
  return guard === undefined ? answer : { ...answer, guard };
}

function answerOf(
  member: string,
  turns: readonly TurnMessage[],
  transcript: Transcript,
  question: UserMessage,
): MemberAnswer {
  const last = turns.at(-1);
  if (last === undefined) {
    const reason = deliveriesOf(transcript.head, question)[member]?.reason ?? "the question did not reach it";
    return {
      member,
      outcome: "dropped",
      text: "",
      turns: 0,
      durationMs: 0,
      error: { code: "dropped", message: reason },
    };
  }
  const usage = sumUsage(turns);
  const error = errorOf(last);
  const quietRounds = turns.filter(isQuietTurn).flatMap(({ round }) => round ?? []);
  return {
    member,
    outcome: last.end?.outcome ?? "interrupted",
    text: turns
      .filter((turn) => !isQuietTurn(turn))
      .map(turnText)
      .filter((text) => text !== "")
      .join("\n\n"),
    turns: turns.length,
    ...(quietRounds.length === 0 ? {} : { quietRounds }),
    durationMs: turns.reduce((sum, turn) => sum + (turn.end?.durationMs ?? 0), 0),
    ...(usage === undefined ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
  };
}

function errorOf(turn: TurnMessage): MemberAnswer["error"] {
  const { end } = turn;
  if (end === undefined || end.outcome === "completed") return undefined;
  const message = end.error?.message ?? end.reason ?? end.outcome;
  return { ...end.error, code: end.error?.code ?? end.outcome, message };
}

const usageKeys = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "costUsd",
] as const;

/** Undefined without any usage; kinds that nobody reported stay absent. */
export function sumUsage(counted: readonly { usage?: Usage }[]): Usage | undefined {
  const usages = counted.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  if (usages.length === 0) return undefined;
  const sums = usageKeys
    .filter((key) => usages.some((usage) => usage[key] !== undefined))
    .map((key) => [key, usages.reduce((sum, usage) => sum + (usage[key] ?? 0), 0)]);
  return { inputTokens: 0, outputTokens: 0, ...Object.fromEntries(sums) };
}
