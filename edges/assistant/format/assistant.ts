/** Assistant's protocol version 2 as a pure mapping: our events to its frames, its frames to our commands. */
export type { ChatEvent } from "./chat-event.ts";
export { readClientFrame, type ClientFrame, type ClientFrameOf } from "./client-frame.ts";
export { withoutPanelLine } from "./context-line.ts";
export { interactionAnswer } from "./interaction.ts";
export { OWN_MESSAGE_PREFIX, queuedFrame } from "./map-queue.ts";
export { ASSISTANT_CLIENT } from "./map-user.ts";
export { busyFrames, mapEvent, openInteractions, openWire, type Mapped, type WireState } from "./map-event.ts";
export { createReplay, type Replay } from "./replay.ts";
export { snippetOf } from "./snippet.ts";
export type { MappedFrame } from "./frame-writer.ts";
export { ASSISTANT_PROTOCOL, type ErrorFrame, type IoMode, type ServerFrame } from "./server-frame.ts";
export {
  agentOf,
  isoTime,
  mergePatch,
  modelsOf,
  ROUNDTABLE_AGENT,
  toAssistantSession,
  type AssistantSession,
  type SessionMarks,
} from "./session-summary.ts";
