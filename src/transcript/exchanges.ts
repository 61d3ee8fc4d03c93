/** Agents among themselves: questions from member to member, and subagents. */
import type { EventOf } from "../protocol/index.ts";
import type { TurnMessage, Transcript } from "./model.ts";
import { keepInTurn, keepNotice } from "./notices.ts";
import { addBlock, changeBlock, openTurn, withOpenTurn } from "./open-turns.ts";
import { own, present } from "./record.ts";

/** Without a turn of its own the question belongs to the turn its asker has open. */
export function askMember(transcript: Transcript, event: EventOf<"agent_message">): Transcript {
  const turn = openTurn(transcript, event.turnId ?? own(transcript.head.members, event.member)?.turnId);
  if (turn === undefined) return keepNotice(transcript, event);
  const { agentExchangeId, to, text } = event;
  return withOpenTurn(transcript, addBlock(turn, { kind: "exchange", agentExchangeId, to, text }));
}

/** May come long after the asker's turn; once that is frozen the answer becomes a notice. */
export function answerMember(transcript: Transcript, event: EventOf<"agent_callback_result">): Transcript {
  const { agentExchangeId, ok, text } = event;
  const answered = changeBlock(
    transcript,
    "exchange",
    (block) => block.agentExchangeId === agentExchangeId && block.answer === undefined,
    (block) => ({ ...block, answer: { ok, text } }),
  );
  return answered ?? keepNotice(transcript, event);
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
  return ended ?? keepInTurn(transcript, event);
}
