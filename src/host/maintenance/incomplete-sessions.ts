/**
 * Sessions whose creation was interrupted by a kill, a power cut or a member that could not join: the first event names
 * the number of members, and the log ends before all of them have joined, or within that event. Their ids were never
 * returned to a client, so they count as absent. A log that is damaged in any other way is not incomplete.
 */
import { stat } from "node:fs/promises";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { openLogReader, sessionPaths, type LogReader } from "../../log/index.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { holderOf } from "./host-records.ts";

/** A longer log is complete. */
const EVENTS_MAX = 64;
/** Larger than any event. */
const FIRST_BYTES_MAX = 512 * 1024;

/** Rejects with "unknown_session" when the session is incomplete. */
export async function assertComplete(dataDir: string, reader: LogReader): Promise<void> {
  if (!(await isIncomplete(dataDir, reader))) return;
  throw new RoundtableError("unknown_session", `Session ${reader.sessionId} was never fully created.`, {
    hint: "Start a new one. `roundtable doctor --rebuild` removes the incomplete one.",
  });
}

async function isIncomplete(dataDir: string, reader: LogReader): Promise<boolean> {
  if (reader.committedSeq > EVENTS_MAX) return false;
  const events = [];
  for await (const batch of reader.read(0)) events.push(...batch);
  const [first, ...joined] = events;
  if (first === undefined) return hasOnlyTornEvent(dataDir, reader.sessionId);
  if (first.type !== "session_created" || first.memberCount === undefined) return false;
  return joined.length < first.memberCount && joined.every(({ type }) => type === "member_joined");
}

async function hasOnlyTornEvent(dataDir: string, sessionId: string): Promise<boolean> {
  const { log, meta, snapshots } = sessionPaths(dataDir, sessionId);
  const size = (await stat(log).catch(() => undefined))?.size ?? Infinity;
  if (size > FIRST_BYTES_MAX) return false;
  // A log that was emptied later still has a summary or snapshot.
  if (size === 0) return !(await fileExists(meta)) && !(await fileExists(snapshots));
  const text = readOwnFile(log);
  return text.startsWith('{"seq":1,') && !text.includes("\n");
}

async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

export interface SessionPartition {
  readonly complete: string[];
  /** Complete ones and those being created now. The files of all others can be removed. */
  readonly inUse: string[];
}

/** Takes no lock. */
export async function partitionSessions(dataDir: string, ids: readonly string[]): Promise<SessionPartition> {
  const partition: SessionPartition = { complete: [], inUse: [] };
  for (const sessionId of ids) {
    const isComplete = !(await isIncompleteSession(dataDir, sessionId));
    if (isComplete) partition.complete.push(sessionId);
    if (isComplete || (await holderOf(dataDir, sessionId)) === "living") partition.inUse.push(sessionId);
  }
  return partition;
}

/** An unreadable log is not incomplete; its readers report the problem. */
async function isIncompleteSession(dataDir: string, sessionId: string): Promise<boolean> {
  const reader = await openLogReader({ dataDir, sessionId }).catch(() => undefined);
  try {
    return reader !== undefined && (await isIncomplete(dataDir, reader));
  } catch {
    return false;
  } finally {
    await reader?.close();
  }
}
