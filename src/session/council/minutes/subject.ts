/** Subject of minutes: the latest message to everyone, and everything since. */
import {
  turnText,
  type Head,
  type Message,
  type Transcript,
  type TurnMessage,
  type UserMessage,
} from "../../../transcript/index.ts";

export interface MinutesSubject {
  readonly question: UserMessage;
  /** User messages and turns of members since the question, oldest first, without private exchanges. */
  readonly messages: readonly (UserMessage | TurnMessage)[];
  /** Every turn since the question, including exchanges, for the cost. */
  readonly turns: readonly TurnMessage[];
  /** Members that were still speaking. */
  readonly speaking: readonly string[];
  readonly round: number | undefined;
  readonly council: Head["council"];
}

/** Undefined when no question is in memory. */
export function subjectOf(transcript: Transcript): MinutesSubject | undefined {
  const { head } = transcript;
  const messages = [...inMemory(transcript)].filter((message) => !("seq" in message) || message.seq > head.clearedSeq);
  const users = messages.filter((message) => message.kind === "user");
  const question = users.findLast((message) => message.toAll) ?? users.at(-1);
  if (question === undefined) return undefined;
  const since = messages.slice(messages.indexOf(question) + 1);
  const turns = since.filter((message) => message.kind === "turn");
  const open = Object.values(head.openTurns).filter((turn) => turn.cause !== "minutes");
  const round = head.round?.rootMessageId === question.messageId ? head.round.number : undefined;
  return {
    question,
    messages: since.filter((message) => message.kind === "user" || (message.kind === "turn" && isAnswer(message))) as (
      | UserMessage
      | TurnMessage
    )[],
    turns,
    speaking: [...new Set(open.map((turn) => turn.member))],
    round,
    council: head.council,
  };
}

function isAnswer(turn: TurnMessage): boolean {
  return turn.depth === 0 && turn.cause !== "minutes" && turn.end !== undefined && turnText(turn).trim() !== "";
}

/** Live pages, and the frozen ones directly before them as far as they are in memory. */
function* inMemory({ frozen, live }: Transcript): Generator<Message, void, void> {
  const gap = frozen.lastIndexOf(undefined);
  for (const page of [...frozen.slice(gap + 1), ...live]) yield* page?.messages ?? [];
}
