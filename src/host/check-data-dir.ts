/**
 * The read-only check behind `roundtable doctor`: every byte of every log, whether it folds, whether the derived files
 * fit, and what dead processes left behind. Takes no lock and changes nothing.
 */
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { findStrays } from "../agents/index.ts";
import { checkLog, sessionPaths, type LogCheck } from "../log/index.ts";
import { toAnswerError } from "../protocol/index.ts";
import { sessionsDir } from "./data-dir.ts";
import { findDeadHosts, holderOf } from "./host-records.ts";
import { readTranscript } from "./read-session.ts";
import { sessionIds } from "./session-list.ts";

/** Others may not even look: what is said here is private. */
const FOREIGN_BITS = 0o077;

interface SessionReport {
  readonly sessionId: string;
  readonly isWhole: boolean;
  readonly events: number;
  readonly seq: number;
  readonly bytes: number;
  /** A process has it open; what looks torn may be a record that is being written. */
  readonly isHeld: boolean;
  /** One sentence each. */
  readonly problems: readonly string[];
}

export interface StrayReport {
  readonly pid: number;
  readonly member: string;
  readonly sinceTs: number;
  readonly hostPid: number;
}

export interface DataDirReport {
  readonly dataDir: string;
  /** Every session whole and no problem with the directory itself. Leftovers of dead processes do no harm. */
  readonly isWhole: boolean;
  readonly sessions: readonly SessionReport[];
  /** Notes of processes that died holding a lock; the lock itself died with them. */
  readonly staleLocks: readonly string[];
  readonly staleSockets: readonly string[];
  /** Processes that dead hosts left running; the next host ends them. */
  readonly strays: readonly StrayReport[];
  readonly problems: readonly string[];
}

export async function checkDataDir(dataDir: string): Promise<DataDirReport> {
  const ids = await sessionIds(dataDir);
  const sessions: SessionReport[] = [];
  const staleLocks: string[] = [];
  for (const sessionId of ids) {
    const holder = await holderOf(dataDir, sessionId);
    if (holder === "dead") staleLocks.push(sessionPaths(dataDir, sessionId).lockHolder);
    sessions.push(await checkSession(dataDir, sessionId, holder === "living"));
  }
  const staleSockets = (await findDeadHosts(dataDir)).flatMap(({ files }) => files);
  const processes = await checkProcesses(dataDir);
  const problems = [
    ...(await checkModes(dataDir)),
    ...(await checkOrphans(dataDir, ids)),
    ...(processes.fault === undefined ? [] : [processes.fault]),
  ];
  const isWhole = problems.length === 0 && sessions.every((session) => session.isWhole);
  return { dataDir, isWhole, sessions, staleLocks, staleSockets, strays: processes.strays, problems };
}

async function checkSession(dataDir: string, sessionId: string, isHeld: boolean): Promise<SessionReport> {
  try {
    const check = await checkLog({ dataDir, sessionId });
    const problems = describeCheck(check, isHeld);
    const { head } = await readTranscript(dataDir, sessionId);
    if (head.createdTs === 0) problems.push("The log does not begin with session_created.");
    const { records: events, lastSeq: seq, bytes } = check;
    return { sessionId, isWhole: problems.length === 0, events, seq, bytes, isHeld, problems };
  } catch (error) {
    const problems = [toAnswerError(error).message];
    return { sessionId, isWhole: false, events: 0, seq: 0, bytes: 0, isHeld, problems };
  }
}

function describeCheck(check: LogCheck, isHeld: boolean): string[] {
  const problems = check.damages.map(({ what, offset, bytes, fromSeq, toSeq }) => {
    const missing = fromSeq <= toSeq ? `; events ${fromSeq} to ${toSeq} are missing` : "";
    return `Damage at byte ${offset}, ${bytes} bytes: ${what}${missing}.`;
  });
  if (check.damageCount > check.damages.length) {
    problems.push(`${check.damageCount - check.damages.length} more places are damaged.`);
  }
  if (check.tornBytes > 0 && !isHeld) {
    problems.push(`The last ${check.tornBytes} bytes are half a record; the next open for writing saves them aside.`);
  }
  return problems;
}

async function checkModes(dataDir: string): Promise<string[]> {
  if (process.platform === "win32") return [];
  const problems: string[] = [];
  for (const name of ["logs", "sessions", "blobs", "run"]) {
    const directory = path.join(dataDir, name);
    const mode = (await stat(directory).catch(() => undefined))?.mode ?? 0;
    if ((mode & FOREIGN_BITS) !== 0) {
      problems.push(`Others can look into ${directory} (mode ${(mode & 0o777).toString(8)}); chmod 700 it.`);
    }
  }
  return problems;
}

/** Summaries whose log is gone: somebody removed a session by hand, and not all of it. */
async function checkOrphans(dataDir: string, ids: readonly string[]): Promise<string[]> {
  const known = new Set(ids);
  const names = await readdir(sessionsDir(dataDir)).catch(() => []);
  return names
    .filter((name) => name.endsWith(".meta.json") && !known.has(name.slice(0, -".meta.json".length)))
    .map((name) => `${path.join(sessionsDir(dataDir), name)} belongs to no log.`);
}

/** The command lines of strays stay out: an agent's tools put all kinds of things there. */
async function checkProcesses(dataDir: string): Promise<{ strays: StrayReport[]; fault?: string }> {
  try {
    const strays = await findStrays(dataDir);
    return { strays: strays.map(({ pid, member, sinceTs, hostPid }) => ({ pid, member, sinceTs, hostPid })) };
  } catch (error) {
    return {
      strays: [],
      fault: `The processes of this machine could not be looked at: ${toAnswerError(error).message}`,
    };
  }
}
