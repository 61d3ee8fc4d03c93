/** Asks members again: failed turns that answer the latest user message, and by name also good ones. */
import { RoundtableError, type CommandOf, type Outcome, type ResultOf } from "../../protocol/index.ts";
import type { Answering, Message } from "../delivery/mailbox.ts";
import { roundText } from "../context/system-prompt.ts";
import { isAvailable, memberOf, noSuchMember, type SessionState, type TurnRequest } from "../state.ts";

const FAILED: ReadonlySet<Outcome | undefined> = new Set(["errored", "timed_out", "interrupted"]);

export function planRetries(state: SessionState, command: CommandOf<"retry">): ResultOf<"retry"> {
  if (command.member !== undefined && memberOf(state, command.member) === undefined) {
    throw noSuchMember(state, command.member);
  }
  const turns = turnsToRetry(state, command).filter((turn) => !state.retries.has(turn.member));
  if (turns.length === 0) {
    throw new RoundtableError("unknown_turn", nothingToRetry(command.member), {
      hint: "To ask a member again after a successful answer, name it: /retry NAME.",
    });
  }
  const available = turns.filter((turn) => isAvailable(state, turn.member));
  if (available.length === 0) {
    const names = turns.map((turn) => turn.member).join(", ");
    throw new RoundtableError("nobody_to_ask", `${names} is muted or has left; nobody can be asked again.`);
  }
  for (const turn of available) {
    state.retries.set(turn.member, retryOf(state, turn));
    state.held.delete(turn.member);
  }
  state.schedule();
  return { turnIds: available.map((turn) => turn.turnId) };
}

function nothingToRetry(member: string | undefined): string {
  if (member === undefined) return "Nothing to retry: nobody's last answer to the latest message failed.";
  return `Nothing to retry: ${member} has not answered the latest message.`;
}

/** Each member's last turn if it failed, or ended at all where the command names it; older ones only by turnId. */
function turnsToRetry(state: SessionState, { member, turnId }: CommandOf<"retry">): readonly Answering[] {
  const turns = state.ledger.memory.mailbox.answering();
  const isNamed = member !== undefined || turnId !== undefined;
  const isLast = (turn: Answering) => turns.findLast((one) => one.member === turn.member) === turn;
  return turns
    .filter((turn) => (turnId === undefined ? isLast(turn) : turn.turnId === turnId))
    .filter((turn) => FAILED.has(turn.outcome) || (isNamed && turn.outcome === "completed"))
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
