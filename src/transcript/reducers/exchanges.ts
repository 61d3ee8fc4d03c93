/** Questions between members, and subagents. */
import type { EventOf } from "../../protocol/index.ts";
import type { Transcript } from "../model.ts";
import type { Block, TurnMessage } from "../messages.ts";
import { addToTurn, addNotice } from "./notices.ts";
import { addBlock, changeBlock, openTurn, withOpenTurn } from "./open-turns.ts";
import { own, present } from "../record.ts";

/** Without a turnId the question belongs to the open turn of its asker. */
export function askMember(transcript: Transcript, event: EventOf<"agent_message">): Transcript {
  const turn = openTurn(transcript, event.turnId ?? own(transcript.head.members, event.member)?.turnId);
  if (turn === undefined) return addNotice(transcript, event);
  const { agentExchangeId, to, text, wait, toolCallId } = event;
  const called: TurnMessage = { ...turn, blocks: turn.blocks.map((block) => linked(block, event)) };
  const block: Block = { kind: "exchange", agentExchangeId, to, text, wait, ...present({ toolCallId }) };
  return withOpenTurn(transcript, addBlock(called, block));
}

/** Links the tool call that asked to its exchange. */
function linked(block: Block, { toolCallId, agentExchangeId }: EventOf<"agent_message">): Block {
  const isCall = toolCallId !== undefined && block.kind === "tool" && block.toolCallId === toolCallId;
  return isCall ? { ...block, agentExchangeId } : block;
}

/**
 * Links the asker's block to the turn that answers it. The turn that gets the answer is the asker's own and is not
 * linked.
 */
export function beginAnswer(transcript: Transcript, event: EventOf<"turn_start">): Transcript {
  const { agentExchangeId, turnId, member } = event;
  if (agentExchangeId === undefined) return transcript;
  const begun = changeBlock(
    transcript,
    "exchange",
    (block) => block.agentExchangeId === agentExchangeId && block.to === member && block.answerTurnId === undefined,
    (block) => ({ ...block, answerTurnId: turnId }),
  );
  return begun ?? transcript;
}

/** May arrive long after the asker's turn; once that is frozen, the answer becomes a notice. */
export function answerMember(transcript: Transcript, event: EventOf<"agent_callback_result">): Transcript {
  const { agentExchangeId, ok, text } = event;
  const answered = changeBlock(
    transcript,
    "exchange",
    (block) => block.agentExchangeId === agentExchangeId && block.answer === undefined,
    (block) => ({ ...block, answer: { ok, text } }),
  );
  return answered ?? addNotice(transcript, event);
}

export function spawnSubagent(turn: TurnMessage, event: EventOf<"subagent_spawned">): TurnMessage {
  const { subagentTurnId, name, task } = event;
  return addBlock(turn, { kind: "subagent", subagentTurnId, name, task });
}

export function endSubagent(transcript: Transcript, event: EventOf<"subagent_result">): Transcript {
  const { subagentTurnId, outcome, text } = event;
  const ended = changeBlock(
    transcript,
    "subagent",
    (block) => block.subagentTurnId === subagentTurnId && block.outcome === undefined,
    (block) => ({ ...block, outcome, ...present({ text }) }),
  );
  return ended ?? addToTurn(transcript, event);
}
