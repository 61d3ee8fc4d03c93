/**
 * Run marker in the environment of every process that a host starts, inherited by its children: `ROUNDTABLE_RUN=<data
 * directory>:<host>:<member>:<nonce>`. It identifies a process even after its parents are gone. The host part has its
 * pid and start time, so a marker alone tells whether its host is alive.
 */
import { createHash, randomBytes } from "node:crypto";
import { realpathSync } from "node:fs";
import path from "node:path";

export const MARKER_VARIABLE = "ROUNDTABLE_RUN";

export interface Host {
  readonly pid: number;
  /** As reported by the process table named `table`; times of two tables are not comparable. */
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

/** Undefined for anything that is not exactly a marker. */
export function parseMarker(text: string): RunMarker | undefined {
  const [, directory, hostId, pid, start, table, member, nonce] = MARKER.exec(text) ?? [];
  if (directory === undefined || hostId === undefined || table === undefined) return undefined;
  if (member === undefined || nonce === undefined) return undefined;
  return { directory, hostId, host: { pid: Number(pid), start: Number(start), table }, member, nonce };
}

/** One directory has one marker, however its path is spelled; a missing one is used as written. */
function canonical(dataDir: string): string {
  const absolute = path.resolve(dataDir);
  try {
    return realpathSync(absolute);
  } catch {
    // It does not exist yet, so no link can point to it.
    return absolute;
  }
}
