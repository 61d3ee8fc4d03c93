/**
 * Records of started processes in `<data directory>/run/`, by which the next host finds them after a crash.
 * Guarantees: a record exists before the program is sent anything, and is removed when the program and its descendants
 * are gone; records are readable by their owner only.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../../kit/files/own-file.ts";
import type { ProcessList } from "../list/process-list.ts";
import { createHostId, createMarker, parseMarker } from "./run-marker.ts";

const ProcessRecord = z.object({
  version: z.literal(1),
  pid: z.int().positive(),
  start: z.number(),
  table: z.string(),
  bootId: z.string(),
  marker: z.string(),
  member: z.string(),
  /** Absent for a process that several sessions share. */
  sessionId: z.string().optional(),
  hostPid: z.int().positive(),
  ts: z.number(),
});
export type ProcessRecord = z.infer<typeof ProcessRecord>;

const ENDING = ".process.json";
const RECORD_BYTES_MAX = 64 * 1024;

export interface ProcessRecords {
  readonly hostId: string;
  readonly dataDir: string;
  readonly processes: ProcessList;
  /** New run marker for a process of this host. */
  marker(member: string): string;
  /** Never rejects: false when the record could not be written. */
  add(entry: Pick<ProcessRecord, "pid" | "start" | "marker" | "member" | "sessionId">): Promise<boolean>;
  remove(marker: string): void;
}

/** One per host; creates `run/` on demand. */
export function createProcessRecords({
  dataDir,
  processes,
}: {
  dataDir: string;
  processes: ProcessList;
}): ProcessRecords {
  const host = {
    pid: process.pid,
    start: processes.startOfChild(process.pid, performance.timeOrigin),
    table: processes.name,
  };
  const hostId = createHostId(host);
  const folder = path.join(dataDir, "run");
  return {
    hostId,
    dataDir,
    processes,
    marker: (member) => createMarker({ dataDir, hostId, member }),
    async add(entry) {
      const identity = { table: processes.name, bootId: processes.bootId(), hostPid: process.pid, ts: Date.now() };
      const record: ProcessRecord = { version: 1, ...entry, ...identity };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        chmodSync(folder, 0o700);
        await writeFileAtomic(path.join(folder, fileName(entry.marker)), `${JSON.stringify(record)}\n`);
        return true;
      } catch {
        // A full disk must not block an agent; the run marker still identifies the process.
        return false;
      }
    },
    remove(marker) {
      removeRecord(dataDir, fileName(marker));
    },
  };
}

/** The same records, with the session's id added. */
export function recordsOfSession(records: ProcessRecords, sessionId: string): ProcessRecords {
  return { ...records, add: (entry) => records.add({ ...entry, sessionId }) };
}

/** All readable records; other files are ignored. */
export function readProcessRecords(dataDir: string): { file: string; record: ProcessRecord }[] {
  const folder = path.join(dataDir, "run");
  return listRecords(folder).flatMap((file) => {
    try {
      const text = readOwnFile(path.join(folder, file));
      if (text.length > RECORD_BYTES_MAX) return [];
      return [{ file, record: ProcessRecord.parse(JSON.parse(text)) }];
    } catch {
      // Removed meanwhile, or not written by us.
      return [];
    }
  });
}

export function removeRecord(dataDir: string, file: string): void {
  try {
    rmSync(path.join(dataDir, "run", file), { force: true });
  } catch {
    // A stale record names a process that is gone; the next orphan cleanup removes it.
  }
}

function listRecords(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(ENDING));
  } catch {
    // No directory: nothing was ever started here.
    return [];
  }
}

function fileName(marker: string): string {
  const parsed = parseMarker(marker);
  return parsed === undefined ? `unknown${ENDING}` : `${parsed.member}-${parsed.nonce}${ENDING}`;
}

export interface MemberProcess {
  /** Name of the member, or of a program that several members share. */
  readonly member: string;
  readonly pid: number;
}

/** Processes of the session and those that all sessions share, without records whose process is gone. */
export function findMemberProcesses(dataDir: string, sessionId: string): MemberProcess[] {
  return readProcessRecords(dataDir)
    .map(({ record }) => record)
    .filter((record) => record.sessionId === undefined || record.sessionId === sessionId)
    .filter(({ pid }) => isAlive(pid))
    .map(({ member, pid }) => ({ member, pid }));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
