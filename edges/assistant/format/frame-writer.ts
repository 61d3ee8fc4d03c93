/** Collects the output of one event: frames in order, chat events with ids. */
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { chatEventId } from "./chat-event-id.ts";
import type { ChatEvent, ChatEventType, ChatPayloads } from "./chat-event.ts";
import type { ServerFrame } from "./server-frame.ts";

export interface MappedFrame {
  readonly frame: ServerFrame;
  /** The message that this echoes; not sent to its author. */
  readonly echoOf?: string;
  /** For clients that support interactions; others get text. */
  readonly isInteraction?: true;
}

export interface FrameWriter {
  /** The client's id of the session. */
  readonly sessionId: string;
  readonly frames: readonly MappedFrame[];
  send(frame: ServerFrame, echoOf?: string): void;
  chat<Type extends ChatEventType>(
    type: Type,
    payload: ChatPayloads[Type],
    of?: { readonly turnId?: string | undefined; readonly responseId?: string | undefined },
  ): void;
}

export function createFrameWriter(sessionId: string, event: Pick<SessionEvent, "id" | "ts">): FrameWriter {
  const frames: MappedFrame[] = [];
  const timestamp = Math.max(0, Math.trunc(event.ts));
  let part = 0;
  return {
    sessionId,
    frames,
    send: (frame, echoOf) => void frames.push(echoOf === undefined ? { frame } : { frame, echoOf }),
    chat(type, payload, { turnId, responseId } = {}) {
      const id = chatEventId(event.id, part);
      part += 1;
      const ids = {
        ...(turnId === undefined ? {} : { turnId }),
        ...(responseId === undefined ? {} : { responseId }),
      };
      // The signature ties type and payload together.
      const made = { id, timestamp, sessionId, ...ids, type, payload } as ChatEvent;
      const isInteraction = type === "interaction_request" || type === "interaction_response";
      const frame = { type: "chat_event", sessionId, event: made } as const;
      frames.push(isInteraction ? { frame, isInteraction } : { frame });
    },
  };
}
