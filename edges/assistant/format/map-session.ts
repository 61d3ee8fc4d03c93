/** Session facts shown in every list. */
import type { EventOf } from "../../../src/protocol/index.ts";
import type { ServerFrame } from "./server-frame.ts";
import { isoTime } from "./session-summary.ts";

/** Without the name: a client may have cleared it, and would show it again. */
export function updatedFrame(sessionId: string, ts: number): ServerFrame {
  return { type: "session_updated", sessionId, updatedAt: isoTime(ts) };
}

export function renamedFrame(sessionId: string, { title, ts }: EventOf<"session_renamed">): ServerFrame {
  return { type: "session_updated", sessionId, updatedAt: isoTime(ts), name: title === "" ? null : title };
}
