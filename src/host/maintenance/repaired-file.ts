/** Beside a damaged log: the readable copy that was made of it, so that a second repair makes no second one. */
import * as z from "zod";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { hasSession, sessionPaths } from "../../log/index.ts";
import { logBytesOf } from "../sessions/summary-file.ts";

const RepairedFile = z.object({ format: z.literal(1), logBytes: z.int().nonnegative(), copyId: z.string() });

export async function writeRepaired(dataDir: string, sessionId: string, copyId: string): Promise<void> {
  const logBytes = await logBytesOf(dataDir, sessionId);
  await writeFileAtomic(fileOf(dataDir, sessionId), `${JSON.stringify({ format: 1, logBytes, copyId })}\n`);
}

/** The copy; undefined when there is none any more, or when the log has changed since. */
export async function readRepaired(dataDir: string, sessionId: string): Promise<string | undefined> {
  try {
    const { logBytes, copyId } = RepairedFile.parse(JSON.parse(readOwnFile(fileOf(dataDir, sessionId))));
    return hasSession(dataDir, copyId) && logBytes === (await logBytesOf(dataDir, sessionId)) ? copyId : undefined;
  } catch {
    // Absent or unreadable: as good as no copy.
    return undefined;
  }
}

function fileOf(dataDir: string, sessionId: string): string {
  const { log } = sessionPaths(dataDir, sessionId);
  return log.replace(/\.jsonl$/, ".repaired.json");
}
