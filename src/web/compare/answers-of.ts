/** The answers to one message, by round: what a reader wants to see beside each other. */
import { messageAt, type Transcript, type TurnMessage, type UserMessage } from "../../transcript/index.ts";

export interface ComparedRound {
  readonly round: number;
  /** In the order they began; of a member that was asked again, the last. */
  readonly turns: readonly TurnMessage[];
}

export interface Compared {
  readonly message: UserMessage;
  readonly rounds: readonly ComparedRound[];
}

/** Answers further away than this from their message are not looked for. */
const LOOKED_AT_MAX = 1_024;

/** Undefined while the message is not in memory. */
export function answersOf(transcript: Transcript, messageId: string): Compared | undefined {
  const message = findMessage(transcript, messageId);
  if (message === undefined) return undefined;
  const rounds = new Map<number, Map<string, TurnMessage>>();
  const end = Math.min(transcript.head.messageCount, message.position + LOOKED_AT_MAX);
  for (let position = message.position + 1; position < end; position += 1) {
    const turn = messageAt(transcript, position);
    if (turn?.kind !== "turn" || turn.rootMessageId !== messageId || !isAnswer(turn)) continue;
    const turns = rounds.get(turn.round ?? 1) ?? new Map<string, TurnMessage>();
    rounds.set(turn.round ?? 1, turns.set(turn.member, turn));
  }
  const ordered = [...rounds].sort(([a], [b]) => a - b);
  return { message, rounds: ordered.map(([round, turns]) => ({ round, turns: [...turns.values()] })) };
}

/** What members said to each other on the way, and what they sent others to do, is no answer of theirs. */
function isAnswer({ depth, cause }: TurnMessage): boolean {
  return depth === 0 && cause !== "exchange" && cause !== "minutes" && cause !== "subagent";
}

function findMessage(transcript: Transcript, messageId: string): UserMessage | undefined {
  for (let position = transcript.head.messageCount - 1; position >= 0; position -= 1) {
    const message = messageAt(transcript, position);
    if (message?.kind === "user" && message.messageId === messageId) return message;
  }
  return undefined;
}
