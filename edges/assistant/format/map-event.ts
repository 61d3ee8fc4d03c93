/**
 * One session as assistant's frames: state and event in, state and frames out. The state is our transcript, so a
 * connection that starts in the middle of a session continues exactly like one from the start.
 */
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { dropFrozenPages, reduce, type Transcript, type TurnMessage } from "../../../src/transcript/index.ts";
import { interactionRequest } from "./interaction.ts";
import { ensureBusy, writeBusy } from "./map-busy.ts";
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
import { createFrameWriter, type MappedFrame, type FrameWriter } from "./frame-writer.ts";

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

/** Current state for a client that subscribes in the middle of a turn; nothing when idle. */
export function busyFrames({ transcript }: WireState, sessionId: string): readonly MappedFrame[] {
  const { head } = transcript;
  const writer = createFrameWriter(sessionId, { id: `busy/${head.sessionId}/${head.seq}`, ts: head.updatedTs });
  writeBusy(writer, Object.values(head.openTurns));
  return writer.frames;
}

/** Open requests, for a client that now supports interactions. */
export function openInteractions({ transcript }: WireState, sessionId: string): readonly MappedFrame[] {
  const { head } = transcript;
  return head.requests.flatMap((request) => {
    const writer = createFrameWriter(sessionId, { id: `asked/${request.requestId}`, ts: request.ts });
    writer.chat("interaction_request", interactionRequest(request), { turnId: request.turnId });
    return writer.frames;
  });
}

/** `sessionId` is the session's name at the client, which may have chosen it. */
export function mapEvent(state: WireState, event: SessionEvent, sessionId: string): Mapped {
  const before = state.transcript;
  if (event.seq <= before.head.seq) return { state, frames: [] };
  const after = reduce(before, event);
  const writer = createFrameWriter(sessionId, event);
  const waiting = writeEvent(writer, event, { before, after, pending: state.pending });
  const pending = showUnclaimed(writer, event, { before, after, pending: waiting });
  ensureBusy(writer, before, after);
  // Frozen pages are not needed here and would keep a long session in memory.
  const isFrozen = after.frozen.length > before.frozen.length;
  const transcript = isFrozen ? dropFrozenPages(after, 0) : after;
  return { state: { transcript, pending }, frames: writer.frames };
}

interface MappingContext {
  readonly before: Transcript;
  readonly after: Transcript;
  readonly pending: readonly PendingMessage[];
}

/** Returns what has not been shown yet. */
function writeEvent(writer: FrameWriter, event: SessionEvent, context: MappingContext): readonly PendingMessage[] {
  const { before, after, pending } = context;
  switch (event.type) {
    case "user_message":
      return [...pending, toPendingMessage(event)];
    case "message_delivery": {
      if (event.state === "dropped") return showAlone(writer, event, context, event.messageId);
      const turnId = steeredInto(after, event);
      return turnId === undefined ? pending : showInto(writer, event, context, { messageId: event.messageId, turnId });
    }
    case "steering":
      return showInto(writer, event, context, { messageId: event.messageId, turnId: event.turnId });
    case "turn_start": {
      // A repeated start of the same turn is ignored.
      if (turnIn(before, event.turnId) !== undefined || turnIn(after, event.turnId) === undefined) return pending;
      const messages = pending.filter(({ messageId }) => event.messageIds.includes(messageId));
      mapTurnStart(writer, event, { after, messages });
      return pending.filter((one) => !messages.includes(one));
    }
    case "session_clear":
      writer.send({ type: "session_cleared", sessionId: writer.sessionId });
      return [];
    default:
      if (isEnding(event.type)) {
        for (const { messageId } of pending) showAlone(writer, event, context, messageId);
        return [];
      }
      writeTurnEvent(writer, event, context);
      return pending;
  }
}

function writeTurnEvent(writer: FrameWriter, event: SessionEvent, { before, after }: MappingContext): void {
  const change = { before: turnIn(before, event.turnId), after: turnIn(after, event.turnId) };
  switch (event.type) {
    case "text_delta":
    case "text_done":
    case "text_retracted":
      // A retracted segment may be one of thinking; both are looked at.
      return mapText(writer, event, change);
    case "thinking_start":
    case "thinking_delta":
    case "thinking_done":
      return mapThinking(writer, event, change);
    case "tool_call_start":
      return mapToolCall(writer, event, change);
    case "tool_call_update":
      return mapToolUpdate(writer, event, change);
    case "tool_output_delta":
      return mapToolOutput(writer, event, change);
    case "tool_result":
      return mapToolResult(writer, event, change);
    case "turn_end":
      if (change.before === undefined) return;
      return mapTurnEnd(writer, event, { turn: change.before, after });
    case "queue_updated":
      return mapQueue(writer, before.head.queue, after.head.queue);
    case "session_renamed":
      return writer.send(renamedFrame(writer.sessionId, event));
    case "model_switched":
      return writer.send(updatedFrame(writer.sessionId, event.ts));
    case "session_archived":
      return event.archived ? writeDeleted(writer) : undefined;
    case "agent_message":
      return mapQuestion(writer, event, after);
    case "agent_callback_result":
      return mapAnswer(writer, event, before);
    default:
      return mapNotice(writer, event, before);
  }
}

function writeDeleted(writer: FrameWriter): void {
  const { sessionId } = writer;
  const message = "This session has been deleted. Choose another one.";
  writer.send({ type: "error", code: "session_deleted", message, details: { sessionId } });
  writer.send({ type: "session_deleted", sessionId });
}

/** Waiting for a turn that names them, they would be shown after every answer. */
function showUnclaimed(writer: FrameWriter, event: SessionEvent, context: MappingContext): readonly PendingMessage[] {
  let { pending } = context;
  for (const one of context.pending) {
    if (isUnclaimed(context.after, one)) pending = showAlone(writer, event, { ...context, pending }, one.messageId);
  }
  return pending;
}

/** Without an answer the chat panel would wait forever, so the message becomes an ended turn. */
function showAlone(
  writer: FrameWriter,
  event: SessionEvent,
  context: MappingContext,
  messageId: string,
): readonly PendingMessage[] {
  if (!context.pending.some((one) => one.messageId === messageId)) return context.pending;
  const turnId = messageId;
  writer.chat("turn_start", { trigger: "user" }, { turnId });
  const pending = showInto(writer, event, context, { messageId, turnId });
  writer.chat("turn_end", {}, { turnId });
  return pending;
}

function showInto(
  writer: FrameWriter,
  event: SessionEvent,
  { pending }: MappingContext,
  { messageId, turnId }: { messageId: string; turnId: string },
): readonly PendingMessage[] {
  const message = pending.find((one) => one.messageId === messageId);
  if (message === undefined) return pending;
  writer.send(updatedFrame(writer.sessionId, event.ts));
  showMessage(writer, message);
  writer.chat("user_message", { text: message.text }, { turnId });
  return pending.filter((one) => one !== message);
}

function turnIn({ head }: Transcript, turnId: string | undefined): TurnMessage | undefined {
  return turnId !== undefined && Object.hasOwn(head.openTurns, turnId) ? head.openTurns[turnId] : undefined;
}
