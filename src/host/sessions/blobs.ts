/** What is too large for an event, by its hash: read without a lock, stored where the session is held. */
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { putAtHolder } from "../connections/ask-holder.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { readBlob } from "./read-session.ts";
import type { SessionQueries } from "./queries.ts";
import { sniffType } from "../../kit/files/sniff-type.ts";

export function createSessionBlobs({
  dataDir,
  open,
  clock,
}: {
  dataDir: string;
  open: OpenSessions;
  clock: Clock;
}): Pick<SessionQueries, "readBlob" | "putBlob"> {
  return {
    async readBlob(sessionId, sha256) {
      const bytes = await (open.get(sessionId)?.log.blobs.get(sha256) ?? readBlob(dataDir, sessionId, sha256));
      if (bytes !== undefined) return bytes;
      throw new RoundtableError("unknown_message", `Session ${sessionId} has nothing with the hash ${sha256}.`);
    },
    async putBlob(sessionId, bytes, mime = sniffType(bytes)) {
      const entry = await open.enter(sessionId);
      if (entry.kind === "elsewhere") return putAtHolder(entry.holder, sessionId, bytes, clock);
      try {
        return await entry.local.log.blobs.put(bytes, mime);
      } finally {
        entry.release();
      }
    },
  };
}
