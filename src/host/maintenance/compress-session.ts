/** Compression of archived sessions. Callers hold the session's lock. */
import { compressLog, isOnlyCompressed, type Compressed } from "../../log/index.ts";
import { RoundtableError, type SessionSummary } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { writeSummary } from "../sessions/summary-file.ts";

/** Rejects with "conflict" unless the session is archived and uncompressed. */
export async function compressSession(dataDir: string, sessionId: string): Promise<Compressed> {
  const transcript = await readTranscript(dataDir, sessionId);
  if (!transcript.head.archived) {
    throw new RoundtableError("conflict", `Session ${sessionId} is not archived.`, {
      hint: `Archive it first: roundtable sessions archive --compress ${sessionId}`,
    });
  }
  const compressed = await compressLog({ dataDir, sessionId });
  if (compressed === undefined) throw new RoundtableError("conflict", `Session ${sessionId} is already compressed.`);
  await writeSummary(dataDir, sessionId, summaryOf(transcript));
  return compressed;
}

/**
 * Call it before opening the log, which decompresses it: the returned function compresses the log again when the
 * session is closed and still archived. Undefined when the log is not compressed.
 */
export function recompressOnClose(
  dataDir: string,
  sessionId: string,
): ((summary: SessionSummary) => Promise<void>) | undefined {
  if (!isOnlyCompressed(dataDir, sessionId)) return undefined;
  return async (summary) => {
    if (!summary.archived) return;
    await compressLog({ dataDir, sessionId });
    await writeSummary(dataDir, sessionId, summary);
  };
}
