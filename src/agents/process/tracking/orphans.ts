/**
 * Finds and ends processes that a dead host of this data directory has left running. Used at host start and by
 * `doctor`.
 * Guarantee: only processes that carry a marker of this directory or match a record by exact start time, and whose host
 * is gone; never one that merely reused a recorded pid, never ourselves.
 */
import { setTimeout as delay } from "node:timers/promises";
import { withDescendants } from "../terminate/process-tree.ts";
import { readProcessRecords, removeRecord, type ProcessRecord } from "./process-records.ts";
import type { ProcessRow, ProcessList } from "../list/process-list.ts";
import { chooseProcessList } from "../list/choose-process-list.ts";
import { hashDirectory, parseMarker, type Host } from "./run-marker.ts";

export interface Orphan {
  readonly pid: number;
  readonly start: number;
  /** Start time, for display. */
  readonly sinceTs: number;
  readonly member: string;
  readonly hostPid: number;
  readonly command: string;
}

/** Time for an orphan to exit before it is killed. */
const GRACE_MS = 1_000;
const KILL_WAIT_MS = 2_000;
const POLL_INTERVAL_MS = 25;

export async function findOrphans(dataDir: string, processes: ProcessList = chooseProcessList()): Promise<Orphan[]> {
  return describe(await scanOrphans(dataDir, processes), processes, new Map());
}

/** Ends all orphans, removes the records of dead hosts, and returns which were ended and which survived. */
export async function killOrphans(
  dataDir: string,
  processes: ProcessList = chooseProcessList(),
): Promise<{ ended: Orphan[]; left: Orphan[] }> {
  const seen = new Map<number, Orphan>();
  const startMs = performance.now();
  let hasSignalled = false;
  for (;;) {
    const scan = await scanOrphans(dataDir, processes);
    for (const orphan of await describe(scan, processes, seen)) seen.set(orphan.pid, orphan);
    const spentMs = performance.now() - startMs;
    if (scan.orphans.size === 0 || spentMs > GRACE_MS + KILL_WAIT_MS) {
      for (const { file, record } of scan.deadRecords) if (!scan.orphans.has(record.pid)) removeRecord(dataDir, file);
      const all = [...seen.values()];
      return {
        ended: all.filter((one) => !scan.orphans.has(one.pid)),
        left: all.filter((one) => scan.orphans.has(one.pid)),
      };
    }
    const signal = spentMs >= GRACE_MS ? "SIGKILL" : "SIGTERM";
    if (!hasSignalled || signal === "SIGKILL")
      for (const { row } of scan.orphans.values()) processes.signal(row, signal);
    hasSignalled = true;
    await delay(POLL_INTERVAL_MS);
  }
}

interface OrphanScan {
  orphans: Map<number, { row: ProcessRow; origin: { member: string; hostPid: number } }>;
  deadRecords: { file: string; record: ProcessRecord }[];
}

async function scanOrphans(dataDir: string, processes: ProcessList): Promise<OrphanScan> {
  const records = readProcessRecords(dataDir);
  // A scan takes a second there, and without records no orphan could be identified.
  if (processes.hidesMarkers === true && records.length === 0) return { orphans: new Map(), deadRecords: [] };
  const rows = await processes.rows();
  const markers = await processes.markers(rows);
  const directory = hashDirectory(dataDir);
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const deadRecords = records.filter(({ record }) => {
    const mark = parseMarker(record.marker);
    return mark?.directory === directory && !isAlive(mark.host, byPid, processes);
  });
  const spared = ownProcesses(rows, processes);
  const orphans: OrphanScan["orphans"] = new Map();
  const add = (row: ProcessRow, origin: { member: string; hostPid: number }): void => {
    for (const one of withDescendants([row], rows, processes)) {
      if (!spared.has(one.pid) && !orphans.has(one.pid)) orphans.set(one.pid, { row: one, origin });
    }
  };
  for (const { record } of deadRecords) {
    const row = byPid.get(record.pid);
    if (row !== undefined && isRecorded(record, row, processes)) add(row, record);
  }
  for (const [pid, text] of markers) {
    const mark = parseMarker(text);
    const row = byPid.get(pid);
    if (row === undefined || mark?.directory !== directory || isAlive(mark.host, byPid, processes)) continue;
    add(row, { member: mark.member, hostPid: mark.host.pid });
  }
  return { orphans, deadRecords };
}

function isRecorded(record: ProcessRecord, row: ProcessRow, processes: ProcessList): boolean {
  return (
    record.table === processes.name &&
    record.bootId === processes.bootId() &&
    processes.isSameStart(record.start, row.start)
  );
}

/**
 * Where start times are not comparable, any process with the host's pid counts as the host: sparing is the safe side.
 */
function isAlive(host: Host, byPid: ReadonlyMap<number, ProcessRow>, processes: ProcessList): boolean {
  const row = byPid.get(host.pid);
  return row !== undefined && (host.table !== processes.name || processes.isSameStart(row.start, host.start));
}

/** We may carry the marker of a dead host ourselves, when one of its agents started us. */
function ownProcesses(rows: readonly ProcessRow[], processes: ProcessList): Set<number> {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const own = byPid.get(process.pid);
  const spared = new Set(own === undefined ? [] : withDescendants([own], rows, processes).map((row) => row.pid));
  for (let row = own; row !== undefined && row.ppid !== row.pid; row = byPid.get(row.ppid)) spared.add(row.pid);
  return spared;
}

async function describe(
  scan: OrphanScan,
  processes: ProcessList,
  seen: ReadonlyMap<number, Orphan>,
): Promise<Orphan[]> {
  const fresh = [...scan.orphans.values()].filter(({ row }) => !seen.has(row.pid));
  return Promise.all(
    fresh.map(async ({ row, origin }) => ({
      pid: row.pid,
      start: row.start,
      sinceTs: Math.round(processes.timeOf(row.start)),
      member: origin.member,
      hostPid: origin.hostPid,
      command: await processes.commandOf(row.pid),
    })),
  );
}
