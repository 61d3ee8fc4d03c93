/**
 * What a host has started, written down in `<data directory>/run/`, so that the next host can find it after a crash.
 * Promises: a record is there before the program is told anything, and goes when the program and all it started are
 * gone; records are for their owner's eyes only.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../../kit/files/own-file.ts";
import type { ProcessTable } from "../table/process-table.ts";
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
  readonly table: ProcessTable;
  /** A new mark for a process of this host. */
  marker(member: string): string;
  /** Must not reject: false when the disk does not take it. */
  add(entry: Pick<ProcessRecord, "pid" | "start" | "marker" | "member" | "sessionId">): Promise<boolean>;
  remove(marker: string): void;
}

/** One for each host; makes `run/` when it is not there. */
export function createProcessRecords({ dataDir, table }: { dataDir: string; table: ProcessTable }): ProcessRecords {
  const host = { pid: process.pid, start: table.startOfChild(process.pid, performance.timeOrigin), table: table.name };
  const hostId = createHostId(host);
  const folder = path.join(dataDir, "run");
  return {
    hostId,
    dataDir,
    table,
    marker: (member) => createMarker({ dataDir, hostId, member }),
    async add(entry) {
      const identity = { table: table.name, bootId: table.bootId(), hostPid: process.pid, ts: Date.now() };
      const record: ProcessRecord = { version: 1, ...entry, ...identity };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        chmodSync(folder, 0o700);
        await writeFileAtomic(path.join(folder, fileName(entry.marker)), `${JSON.stringify(record)}\n`);
        return true;
      } catch {
        // A full disk must not keep an agent from working; the mark in its environment still finds it.
        return false;
      }
    },
    remove(marker) {
      removeRecord(dataDir, fileName(marker));
    },
  };
}

/** The same records, which name the session as well. */
export function recordsOfSession(records: ProcessRecords, sessionId: string): ProcessRecords {
  return { ...records, add: (entry) => records.add({ ...entry, sessionId }) };
}

/** What is there and can be read; a file that is not a record is nobody's process. */
export function readProcessRecords(dataDir: string): { file: string; record: ProcessRecord }[] {
  const folder = path.join(dataDir, "run");
  return listRecords(folder).flatMap((file) => {
    try {
      const text = readOwnFile(path.join(folder, file));
      if (text.length > RECORD_BYTES_MAX) return [];
      return [{ file, record: ProcessRecord.parse(JSON.parse(text)) }];
    } catch {
      // Removed while we read, or not written by us: there is nothing in it to act on.
      return [];
    }
  });
}

export function removeRecord(dataDir: string, file: string): void {
  try {
    rmSync(path.join(dataDir, "run", file), { force: true });
  } catch {
    // A record that stays names a process that is gone; the next sweep finds that out and tries again.
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
  return parsed === null ? `unknown${ENDING}` : `${parsed.member}-${parsed.nonce}${ENDING}`;
}

// Which processes work for the members of a session, from what their hosts have written down.

export interface MemberProcess {
  /** The member's name, or that of a program which several members share. */
  readonly member: string;
  readonly pid: number;
}

/** Those of the session and those that every session shares; a record that outlived its process is left out. */
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
    // It is there, but somebody else's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
