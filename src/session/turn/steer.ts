/**
 * Steering: a message goes into the turn that runs. One at a time, and the next only when the agent has taken the one
 * before, so that messages cannot overtake each other; what was not taken when the turn ends is delivered anew.
 */
import type { Message } from "../delivery/mailbox.ts";
import { loadText } from "../delivery/message-text.ts";
import type { RunningTurn, SessionState } from "../state.ts";

/** Whether the member runs a turn that takes this message. */
export function canSteer(
  state: SessionState,
  member: string,
  message: { readonly attachments: readonly unknown[] },
): boolean {
  if (!state.turns.has(member) || message.attachments.length > 0) return false;
  return state.runtimeOf(member).capabilities().steer;
}

/** Every pending message of the member goes into its running turn, oldest first, up to the first that cannot. */
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

/** Gives the agent the next message to steer, if it is free for one. */
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
    const warning = `The message could not be given to ${member} while it runs: ${why} It waits for the next turn.`;
    state.ledger.append([{ type: "warning", member, code: "steer_failed", message: warning }]);
  }
}

/** The agent says that it took a message. */
export function confirmSteered(state: SessionState, running: RunningTurn, messageId: string): void {
  if (running.steering !== messageId) {
    const { member } = running.turn.identity;
    const message = `${member} says it took message ${messageId}, which it was not given. That was not kept.`;
    state.ledger.append([{ type: "warning", member, code: "unknown_steer", message }]);
    return;
  }
  running.steering = undefined;
  running.turn.recordSteering(messageId);
  stepSteering(state, running);
}
