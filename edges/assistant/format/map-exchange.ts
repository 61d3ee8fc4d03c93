/** Exchanges between members as assistant's agent messages, here inside one session. */
import type { EventOf } from "../../../src/protocol/index.ts";
import { resolveMessage, type Block, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";
import type { FrameWriter } from "./frame-writer.ts";

type ExchangeBlock = Extract<Block, { kind: "exchange" }>;

export function mapQuestion(writer: FrameWriter, event: EventOf<"agent_message">, after: Transcript): void {
  const { agentExchangeId, to, text, wait } = event;
  const turnId = event.turnId ?? findExchange(after, agentExchangeId)?.turn.turnId;
  writer.chat(
    "agent_message",
    { messageId: agentExchangeId, targetAgentId: to, targetSessionId: writer.sessionId, message: text, wait },
    { turnId, responseId: turnId },
  );
}

/** An asker that waits gets the answer as the result of its call; one that does not is called back. */
export function mapAnswer(writer: FrameWriter, event: EventOf<"agent_callback_result">, before: Transcript): void {
  const { sessionId } = writer;
  const { agentExchangeId, member, text } = event;
  const match = findExchange(before, agentExchangeId);
  if (match?.block.wait === false) {
    const responseId = match.block.answerTurnId ?? agentExchangeId;
    writer.send({ type: "agent_callback_result", sessionId, responseId, result: text });
  }
  const turnId = match?.turn.turnId;
  writer.chat(
    "agent_callback",
    { messageId: agentExchangeId, fromAgentId: member, fromSessionId: sessionId, result: text },
    { turnId, responseId: turnId },
  );
}

/** The question that this turn answers; undefined for a turn that receives an answer or has no question. */
export function answeredExchange(
  transcript: Transcript,
  { agentExchangeId, turnId }: EventOf<"turn_start">,
): { asker: string; text: string; agentExchangeId: string } | undefined {
  if (agentExchangeId === undefined) return undefined;
  const match = findExchange(transcript, agentExchangeId);
  if (match === undefined || match.block.answerTurnId !== turnId) return undefined;
  return { asker: match.turn.member, text: match.block.text, agentExchangeId };
}

/** In a turn that is open, or in an ended one that can still change. */
function findExchange(
  { head, live }: Transcript,
  agentExchangeId: string,
): { turn: TurnMessage; block: ExchangeBlock } | undefined {
  for (const page of live.toReversed()) {
    for (const entry of page.messages.toReversed()) {
      const turn = resolveMessage(head, entry);
      if (turn.kind !== "turn") continue;
      const isIt = (block: Block): block is ExchangeBlock =>
        block.kind === "exchange" && block.agentExchangeId === agentExchangeId;
      const block = turn.blocks.findLast(isIt);
      if (block !== undefined) return { turn, block };
    }
  }
  return undefined;
}
