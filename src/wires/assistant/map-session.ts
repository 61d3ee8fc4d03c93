/** Facts about a session that every screen's list shows. */
import type { Head } from "../../transcript/index.ts";
import type { ServerFrame } from "./server-frame.ts";
import { isoTime } from "./session-summary.ts";

export function updatedFrame(sessionId: string, { title }: Pick<Head, "title">, ts: number): ServerFrame {
  return { type: "session_updated", sessionId, updatedAt: isoTime(ts), ...(title === "" ? {} : { name: title }) };
}
