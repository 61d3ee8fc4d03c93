/** Retries failed turns that answer the latest user message. */
import { RoundtableError, type CommandOf, type Json, type Outcome } from "../../protocol/index.ts";
import type { Answering, Message } from "../delivery/mailbox.ts";
import { roundText } from "../context/system-prompt.ts";
import { isAvailable, memberOf, noSuchMember, type SessionState, type TurnRequest } from "../state.ts";

const FAILED: ReadonlySet<Outcome | undefined> = new Set(["errored", "timed_out", "interrupted"]);

export function planRetries(state: SessionState, command: CommandOf<"retry">): Json {
  if (command.member !== undefined && memberOf(state, command.member) === undefined) {
    throw noSuchMember(state, command.member);
  }
  const failed = failedTurns(state, command).filter((turn) => !state.retries.has(turn.member));
  if (failed.length === 0) {
    throw new RoundtableError("unknown_turn", nothingFailed(command.member), {
      hint: "To get another answer, send the message again.",
    });
  }
  const available = failed.filter((turn) => isAvailable(state, turn.member));
  if (available.length === 0) {
    const names = failed.map((turn) => turn.member).join(", ");
    throw new RoundtableError("nobody_to_ask", `${names} is muted or has left; nobody can be asked again.`);
  }
  for (const turn of available) {
    state.retries.set(turn.member, retryOf(state, turn));
    state.held.delete(turn.member);
  }
  state.schedule();
  return { turnIds: available.map((turn) => turn.turnId) };
}

function nothingFailed(member: string | undefined): string {
  if (member === undefined) return "Nothing to retry: nobody's last answer to the latest message failed.";
  return `Nothing to retry: the last answer of ${member} to the latest message did not fail.`;
}

/** Each member's last turn if it failed; older ones only by turnId. */
function failedTurns(state: SessionState, { member, turnId }: CommandOf<"retry">): readonly Answering[] {
  const turns = state.ledger.memory.mailbox.answering();
  const isLast = (turn: Answering) => turns.findLast((one) => one.member === turn.member) === turn;
  return turns
    .filter((turn) => FAILED.has(turn.outcome) && (turnId === undefined ? isLast(turn) : turn.turnId === turnId))
    .filter((turn) => member === undefined || turn.member === member);
}

export function retryOf(state: SessionState, turn: Answering): TurnRequest {
  const messages = turn.messageIds
    .map((messageId) => state.ledger.memory.mailbox.find(messageId))
    .filter((message): message is Message => message !== undefined);
  return {
    member: turn.member,
    messages,
    rootMessageId: turn.rootMessageId ?? turn.messageIds.at(-1) ?? "",
    round: turn.round,
    cause: "retry",
    replaces: turn.turnId,
    ...(messages.length > 0 || turn.round === undefined ? {} : roundRequest(state, turn.round)),
  };
}

/** The prompt of the round that the turn belonged to. */
function roundRequest(state: SessionState, number: number): Pick<TurnRequest, "text" | "from" | "clientId"> {
  const { round } = state.ledger.transcript.head;
  const text = roundText(number, Math.max(number, round?.of ?? number));
  return { text, from: { kind: "table" }, clientId: state.ledger.memory.council.clientId };
}
