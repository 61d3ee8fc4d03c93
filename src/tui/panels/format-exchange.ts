/** Why a turn speaks that belongs to an exchange: it was asked, or it hears what it asked for. */
import { loadedMessagesBackward, type Transcript, type TurnMessage } from "../../transcript/index.ts";

/** How far back the asking turn is looked for; it stands shortly before. */
const ASKER_LOOKBACK = 1000;

/** True for a turn of a member that another one asked, however deep; a subagent is nobody at the table. */
export function isOfExchange({ cause, agentExchangeId }: TurnMessage): boolean {
  return cause === "exchange" || agentExchangeId !== undefined;
}

/** Names are as the log has them: make them safe before they are drawn. */
export function formatExchange(turn: TurnMessage, transcript: Transcript): string {
  const asking = askingTurn(turn, transcript);
  if (asking === undefined) return "asked by another member";
  if (asking.member !== turn.member) return `asked by ${asking.member}`;
  const question = asking.blocks.find(
    (block) => block.kind === "exchange" && block.agentExchangeId === turn.agentExchangeId,
  );
  return question?.kind === "exchange" ? `hears from ${question.to}` : "hears the answer";
}

function askingTurn({ parentTurnId }: TurnMessage, transcript: Transcript): TurnMessage | undefined {
  if (parentTurnId === undefined) return undefined;
  const { openTurns } = transcript.head;
  if (Object.hasOwn(openTurns, parentTurnId)) return openTurns[parentTurnId];
  let looked = 0;
  for (const message of loadedMessagesBackward(transcript)) {
    if (message.kind === "turn" && message.turnId === parentTurnId) return message;
    looked += 1;
    if (looked >= ASKER_LOOKBACK) return undefined;
  }
  return undefined;
}
