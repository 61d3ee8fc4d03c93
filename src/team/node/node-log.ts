import type { Clock } from "../../kit/clock.ts";
import { TeamStoreError, type TeamStoreCode } from "../store/team-store.ts";

/** One JSON line for each thing that happens on a node: ids and codes, never what people or agents wrote. */
export type NodeLog = (event: string, fields?: Readonly<Record<string, string | number>>) => void;

export function createNodeLog(write: (line: string) => void, now: () => number = Date.now): NodeLog {
  return (event, fields = {}) => write(`${JSON.stringify({ ts: new Date(now()).toISOString(), event, ...fields })}\n`);
}

const TELLABLE: ReadonlySet<TeamStoreCode> = new Set(["unavailable", "access_denied", "read_only", "full"]);

/** About the database, for whoever runs the server; anything else may quote what people wrote. */
export function databaseFault(thrown: unknown): { message?: string; hint?: string } {
  if (!(thrown instanceof TeamStoreError) || !TELLABLE.has(thrown.code)) return {};
  return { message: thrown.message, ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) };
}

/** Each kind of fault at most once in this time. */
const FAULT_MS = 60_000;

export function createFaultLog(log: NodeLog, clock: Pick<Clock, "monotonic">): (fault: TeamStoreError) => void {
  const told = new Map<TeamStoreCode, number>();
  return (fault) => {
    const nowMs = clock.monotonic();
    if (!TELLABLE.has(fault.code) || nowMs - (told.get(fault.code) ?? -Infinity) < FAULT_MS) return;
    told.set(fault.code, nowMs);
    log("database_failed", { code: fault.code, ...databaseFault(fault) });
  };
}
