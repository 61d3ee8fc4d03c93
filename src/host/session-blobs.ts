/** What is too large for an event, by its hash: read without a lock, stored where the session is held. */
import { RoundtableError } from "../protocol/index.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { readBlob } from "./read-session.ts";
import type { SessionQuestions } from "./session-questions.ts";

export function createSessionBlobs({
  dataDir,
  open,
}: {
  dataDir: string;
  open: OpenSessions;
}): Pick<SessionQuestions, "readBlob" | "putBlob"> {
  return {
    async readBlob(sessionId, sha256) {
      const bytes = await (open.get(sessionId)?.log.blobs.get(sha256) ?? readBlob(dataDir, sessionId, sha256));
      if (bytes !== undefined) return bytes;
      throw new RoundtableError("unknown_message", `Session ${sessionId} has nothing with the hash ${sha256}.`);
    },
    async putBlob(sessionId, bytes, mime) {
      const entry = await open.enter(sessionId);
      if (entry.kind === "elsewhere") {
        const message = `Another program holds session ${sessionId}, so nothing can be attached here.`;
        throw new RoundtableError("locked", message, { hint: "Attach it there, or end that program." });
      }
      try {
        return await entry.local.log.blobs.put(bytes, mime);
      } finally {
        entry.release();
      }
    },
  };
}
