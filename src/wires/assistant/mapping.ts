/**
 * One session as assistant's frames: state and event in, state and frames out. The state is our transcript, so a
 * connection that begins in the middle of a session goes on exactly as one that was there from the start.
 */
import type { SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, reduce, type Transcript, type TurnMessage } from "../../transcript/index.ts";
import { interactionRequest } from "./interaction.ts";
import { keepBusy, sayBusy } from "./map-busy.ts";
import { mapAnswer, mapQuestion } from "./map-exchange.ts";
import { mapNotice } from "./map-notice.ts";
import { mapQueue } from "./map-queue.ts";
import { renamedFrame, updatedFrame } from "./map-session.ts";
import { mapText, mapThinking } from "./map-text.ts";
import { mapToolCall, mapToolOutput, mapToolResult, mapToolUpdate } from "./map-tool.ts";
import { mapTurnEnd, mapTurnStart } from "./map-turn.ts";
import {
  findPendingMessages,
  isEnding,
  isUnclaimed,
  showMessage,
  steeredInto,
  toPendingMessage,
  type PendingMessage,
} from "./map-user.ts";
import { createScribe, type MappedFrame, type Scribe } from "./scribe.ts";

export interface WireState {
  readonly transcript: Transcript;
  /** Messages that wait for the turn in which they are shown. */
  readonly pending: readonly PendingMessage[];
}

export interface Mapped {
  readonly state: WireState;
  readonly frames: readonly MappedFrame[];
}

/** From the beginning, or from a snapshot. */
export function openWire(transcript: Transcript): WireState {
  return { transcript, pending: findPendingMessages(transcript) };
}

/** What a client that begins to listen in the middle of something is told of it; nothing where nothing runs. */
export function busyFrames({ transcript }: WireState, sessionId: string): readonly MappedFrame[] {
  const { head } = transcript;
  const scribe = createScribe(sessionId, { id: `busy/${head.sessionId}/${head.seq}`, ts: head.updatedTs });
  sayBusy(scribe, Object.values(head.openTurns));
  return scribe.frames;
}

/** What is asked and not answered yet, for a client that says only now that it can answer. */
export function openInteractions({ transcript }: WireState, sessionId: string): readonly MappedFrame[] {
  const { head } = transcript;
  return head.requests.flatMap((request) => {
    const scribe = createScribe(sessionId, { id: `asked/${request.requestId}`, ts: request.ts });
    scribe.chat("interaction_request", interactionRequest(request), { turnId: request.turnId });
    return scribe.frames;
  });
}

/** `sessionId` is the session's name at the client, which may have chosen it. */
export function mapEvent(state: WireState, event: SessionEvent, sessionId: string): Mapped {
  const before = state.transcript;
  if (event.seq <= before.head.seq) return { state, frames: [] };
  const after = reduce(before, event);
  const scribe = createScribe(sessionId, event);
  const waiting = tell(scribe, event, { before, after, pending: state.pending });
  const pending = showUnclaimed(scribe, event, { before, after, pending: waiting });
  keepBusy(scribe, before, after);
  // What is frozen is never looked at here, and a long session would be held whole.
  const isFrozen = after.frozen.length > before.frozen.length;
  const transcript = isFrozen ? dropFrozenPages(after, 0) : after;
  return { state: { transcript, pending }, frames: scribe.frames };
}

interface MappingContext {
  readonly before: Transcript;
  readonly after: Transcript;
  readonly pending: readonly PendingMessage[];
}

/** Gives what is still to be shown. */
function tell(scribe: Scribe, event: SessionEvent, context: MappingContext): readonly PendingMessage[] {
  const { before, after, pending } = context;
  switch (event.type) {
    case "user_message":
      return [...pending, toPendingMessage(event)];
    case "message_delivery": {
      if (event.state === "dropped") return showAlone(scribe, event, context, event.messageId);
      const turnId = steeredInto(after, event);
      return turnId === undefined ? pending : showInto(scribe, event, context, { messageId: event.messageId, turnId });
    }
    case "steering":
      return showInto(scribe, event, context, { messageId: event.messageId, turnId: event.turnId });
    case "turn_start": {
      // A second beginning of the same turn is none.
      if (turnIn(before, event.turnId) !== undefined || turnIn(after, event.turnId) === undefined) return pending;
      const messages = pending.filter(({ messageId }) => event.messageIds.includes(messageId));
      mapTurnStart(scribe, event, { after, messages });
      return pending.filter((one) => !messages.includes(one));
    }
    case "session_clear":
      scribe.send({ type: "session_cleared", sessionId: scribe.sessionId });
      return [];
    default:
      if (isEnding(event.type)) {
        for (const { messageId } of pending) showAlone(scribe, event, context, messageId);
        return [];
      }
      tellOfTurn(scribe, event, context);
      return pending;
  }
}

function tellOfTurn(scribe: Scribe, event: SessionEvent, { before, after }: MappingContext): void {
  const change = { before: turnIn(before, event.turnId), after: turnIn(after, event.turnId) };
  switch (event.type) {
    case "text_delta":
    case "text_done":
    case "text_retracted":
      // A retracted segment may be one of thinking; both are looked at.
      return mapText(scribe, event, change);
    case "thinking_start":
    case "thinking_delta":
    case "thinking_done":
      return mapThinking(scribe, event, change);
    case "tool_call_start":
      return mapToolCall(scribe, event, change);
    case "tool_call_update":
      return mapToolUpdate(scribe, event, change);
    case "tool_output_delta":
      return mapToolOutput(scribe, event, change);
    case "tool_result":
      return mapToolResult(scribe, event, change);
    case "turn_end":
      if (change.before === undefined) return;
      return mapTurnEnd(scribe, event, { turn: change.before, after });
    case "queue_updated":
      return mapQueue(scribe, before.head.queue, after.head.queue);
    case "session_renamed":
      return scribe.send(renamedFrame(scribe.sessionId, event));
    case "model_switched":
      return scribe.send(updatedFrame(scribe.sessionId, event.ts));
    case "session_archived":
      return event.archived ? tellDeleted(scribe) : undefined;
    case "agent_message":
      return mapQuestion(scribe, event, after);
    case "agent_callback_result":
      return mapAnswer(scribe, event, before);
    default:
      return mapNotice(scribe, event, before);
  }
}

function tellDeleted(scribe: Scribe): void {
  const { sessionId } = scribe;
  const message = "This session has been deleted. Choose another one.";
  scribe.send({ type: "error", code: "session_deleted", message, details: { sessionId } });
  scribe.send({ type: "session_deleted", sessionId });
}

/** Waiting for a turn that names them, they would stand behind every answer to them. */
function showUnclaimed(scribe: Scribe, event: SessionEvent, context: MappingContext): readonly PendingMessage[] {
  let { pending } = context;
  for (const one of context.pending) {
    if (isUnclaimed(context.after, one)) pending = showAlone(scribe, event, { ...context, pending }, one.messageId);
  }
  return pending;
}

/** Where nobody answers, the chat panel would wait for a turn to end; so the message is a turn that has ended. */
function showAlone(
  scribe: Scribe,
  event: SessionEvent,
  context: MappingContext,
  messageId: string,
): readonly PendingMessage[] {
  if (!context.pending.some((one) => one.messageId === messageId)) return context.pending;
  const turnId = messageId;
  scribe.chat("turn_start", { trigger: "user" }, { turnId });
  const pending = showInto(scribe, event, context, { messageId, turnId });
  scribe.chat("turn_end", {}, { turnId });
  return pending;
}

function showInto(
  scribe: Scribe,
  event: SessionEvent,
  { pending }: MappingContext,
  { messageId, turnId }: { messageId: string; turnId: string },
): readonly PendingMessage[] {
  const message = pending.find((one) => one.messageId === messageId);
  if (message === undefined) return pending;
  scribe.send(updatedFrame(scribe.sessionId, event.ts));
  showMessage(scribe, message);
  scribe.chat("user_message", { text: message.text }, { turnId });
  return pending.filter((one) => one !== message);
}

function turnIn({ head }: Transcript, turnId: string | undefined): TurnMessage | undefined {
  return turnId !== undefined && Object.hasOwn(head.openTurns, turnId) ? head.openTurns[turnId] : undefined;
}
