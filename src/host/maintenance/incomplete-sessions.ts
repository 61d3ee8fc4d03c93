/**
 * A session whose making was cut, by a kill, a power cut or a member that could not sit down: its first event says how
 * many members sit down with it, and the log ends before they have, within that event or before it. Nobody was told its id, so it
 * counts as absent. A log that is damaged in any other way is none of these.
 */
import { stat } from "node:fs/promises";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { openLogReader, sessionPaths, type LogReader } from "../../log/index.ts";
import { RoundtableError } from "../../protocol/index.ts";
import { holderOf } from "./host-records.ts";

/** Whatever is in a longer log, its making was finished. */
const EVENTS_MAX = 64;
/** More than the largest event. */
const FIRST_BYTES_MAX = 512 * 1024;

/** Rejects with "unknown_session" when it was never finished. */
export async function assertComplete(dataDir: string, reader: LogReader): Promise<void> {
  if (!(await isIncomplete(dataDir, reader))) return;
  throw new RoundtableError("unknown_session", `Session ${reader.sessionId} was never finished: its making was cut.`, {
    hint: "Begin another one. `roundtable doctor --rebuild` removes what is left of it.",
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
  // A log that was emptied later has left a summary or a snapshot behind.
  if (size === 0) return !(await fileExists(meta)) && !(await fileExists(snapshots));
  const text = readOwnFile(log);
  return text.startsWith('{"seq":1,') && !text.includes("\n");
}

async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

export interface SessionPartition {
  readonly complete: string[];
  /** These too, and those that are just being made. The files of all others are of no use to anybody. */
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

/** What cannot be read is no half: that is for whoever reads it to say. */
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
