/**
 * Steering: sends a message into the running turn. One at a time, the next only after the agent confirmed the previous
 * one, so that messages cannot overtake each other. Unconfirmed messages are delivered again when the turn ends.
 */
import type { Message } from "../delivery/mailbox.ts";
import { loadText } from "../delivery/message-text.ts";
import type { RunningTurn, SessionState } from "../state.ts";

/** Whether the member runs a turn that can take this message. */
export function canSteer(
  state: SessionState,
  member: string,
  message: { readonly attachments: readonly unknown[] },
): boolean {
  if (!state.turns.has(member) || message.attachments.length > 0) return false;
  return state.runtimeOf(member).capabilities().steer;
}

/** Steers all pending messages of the member, oldest first, up to the first that cannot be steered. */
export function steerPending(state: SessionState, member: string): void {
  const running = state.turns.get(member);
  if (running === undefined) return;
  for (const message of state.ledger.memory.mailbox.pendingOf(member)) {
    if (!canSteer(state, member, message)) break;
    if (!isSteering(running, message.messageId)) running.toSteer.push(message.messageId);
  }
  stepSteering(state, running);
}

export function isSteering(running: RunningTurn, messageId: string): boolean {
  return running.steering === messageId || running.toSteer.includes(messageId);
}

/** Sends the next message to steer, if the agent is ready for one. */
export function stepSteering(state: SessionState, running: RunningTurn): void {
  if (!running.isSent || running.steering !== undefined || running.turn.isSettled) return;
  const messageId = running.toSteer.shift();
  if (messageId === undefined) return;
  const message = state.ledger.memory.mailbox.find(messageId);
  if (message === undefined) {
    stepSteering(state, running);
    return;
  }
  running.steering = messageId;
  void giveSteer(state, running, message);
}

async function giveSteer(state: SessionState, running: RunningTurn, message: Message): Promise<void> {
  const { member } = running.turn.identity;
  const { messageId } = message;
  try {
    const [text] = await Promise.all([loadText(state.ledger.log.blobs, message), state.ledger.written()]);
    if (!running.turn.isSettled) state.runtimeOf(member).sendSteer({ kind: "steer", messageId, text });
  } catch (thrown) {
    if (running.turn.isSettled || state.isClosed) return;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const warning = `The message could not be delivered to ${member} while it runs: ${why} It waits for the next turn.`;
    state.ledger.append([{ type: "warning", member, code: "steer_failed", message: warning }]);
  }
}

/** The agent confirmed a steered message. */
export function confirmSteered(state: SessionState, running: RunningTurn, messageId: string): void {
  if (running.steering !== messageId) {
    const { member } = running.turn.identity;
    const message = `${member} confirmed message ${messageId}, which it was not given. The confirmation was ignored.`;
    state.ledger.append([{ type: "warning", member, code: "unknown_steer", message }]);
    return;
  }
  running.steering = undefined;
  running.turn.recordSteering(messageId);
  stepSteering(state, running);
}
