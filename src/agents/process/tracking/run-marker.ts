/**
 * The mark that every process started by a host carries in its environment, and its children inherit:
 * `ROUNDTABLE_RUN=<data directory>:<host>:<member>:<nonce>`. By it a process is found whatever became of its parents.
 * The host's part names its pid and start time, so that a mark alone tells whether its host still lives.
 */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";

export const MARKER_VARIABLE = "ROUNDTABLE_RUN";

export interface Host {
  readonly pid: number;
  /** As the process table named `table` tells it; times of two tables cannot be compared. */
  readonly start: number;
  readonly table: string;
}

export interface RunMarker {
  readonly directory: string;
  readonly host: Host;
  readonly hostId: string;
  readonly member: string;
  readonly nonce: string;
}

export function hashDirectory(dataDir: string): string {
  return createHash("sha256").update(canonical(dataDir)).digest("hex").slice(0, 16);
}

export function createHostId({ pid, start, table }: Host): string {
  return `${pid}-${start}-${table}-${randomBytes(4).toString("hex")}`;
}

export function createMarker(fields: { dataDir: string; hostId: string; member: string }): string {
  return `${hashDirectory(fields.dataDir)}:${fields.hostId}:${fields.member}:${randomBytes(6).toString("hex")}`;
}

const MARKER = /^([0-9a-f]{16}):((\d+)-(\d+)-([a-z]+)-[0-9a-f]{8}):([a-z0-9_-]{1,64}):([0-9a-f]{12})$/;

/** Null for anything that is not exactly a mark of ours. */
export function parseMarker(text: string): RunMarker | null {
  const [, directory, hostId, pid, start, table, member, nonce] = MARKER.exec(text) ?? [];
  if (directory === undefined || hostId === undefined || table === undefined) return null;
  if (member === undefined || nonce === undefined) return null;
  return { directory, hostId, host: { pid: Number(pid), start: Number(start), table }, member, nonce };
}

/** One directory has one mark, however it is spelled; one that is not there yet is taken as written. */
function canonical(dataDir: string): string {
  const absolute = path.resolve(dataDir);
  try {
    return realpathSync(absolute);
  } catch {
    // It does not exist yet; nothing can be linked to it either.
    return absolute;
  }
}
