/** Sessions whose logs are put away compressed. Whoever holds one of them is to hold its lock. */
import { compressLog, isOnlyCompressed, type Compressed } from "../../log/index.ts";
import { RoundtableError, type SessionSummary } from "../../protocol/index.ts";
import { summaryOf } from "../../transcript/index.ts";
import { readTranscript } from "../sessions/read-session.ts";
import { writeSummary } from "../sessions/summary-file.ts";

/** Rejects with "conflict" unless the session is archived and not compressed yet. */
export async function compressSession(dataDir: string, sessionId: string): Promise<Compressed> {
  const transcript = await readTranscript(dataDir, sessionId);
  if (!transcript.head.archived) {
    throw new RoundtableError("conflict", `Session ${sessionId} is not archived.`, {
      hint: "Only what is archived is compressed: roundtable sessions archive --compress.",
    });
  }
  const compressed = await compressLog({ dataDir, sessionId });
  if (compressed === undefined) throw new RoundtableError("conflict", `Session ${sessionId} is compressed already.`);
  await writeSummary(dataDir, sessionId, summaryOf(transcript));
  return compressed;
}

/**
 * To be called before the log is opened, which brings the plain one back: what compresses it again when the session is
 * closed and still archived, so that looking at it changes nothing. Undefined where there is nothing to do.
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
