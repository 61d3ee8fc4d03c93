import type { Clock } from "../../kit/clock.ts";
import { TeamStoreError, type TeamStoreCode } from "../store/team-store.ts";

/** One JSON line for each thing that happens on a node: ids and codes, never what people or agents wrote. */
export type NodeLog = (event: string, fields?: Readonly<Record<string, string | number>>) => void;

export function createNodeLog(write: (line: string) => void, now: () => number = Date.now): NodeLog {
  return (event, fields = {}) => write(`${JSON.stringify({ ts: new Date(now()).toISOString(), event, ...fields })}\n`);
}

const TELLABLE: ReadonlySet<TeamStoreCode> = new Set(["unavailable", "access_denied", "read_only", "full"]);

/** Errors of the database are logged in full for the administrator; any other message may quote what people wrote. */
export function databaseFailure(thrown: unknown): { message?: string; hint?: string } {
  if (!(thrown instanceof TeamStoreError) || !TELLABLE.has(thrown.code)) return {};
  return { message: thrown.message, ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) };
}

/** Each kind of failure at most once in this time. */
const FAILURE_MS = 60_000;

export interface DatabaseLog {
  readonly failed: (failure: TeamStoreError) => void;
  /** Ends a failure of the connection; whether it can be written to shows with the next write. */
  readonly answered: () => void;
}

export function createDatabaseLog(log: NodeLog, clock: Pick<Clock, "monotonic">): DatabaseLog {
  const loggedMs = new Map<TeamStoreCode, number>();
  let isAway = false;
  return {
    failed(failure) {
      const nowMs = clock.monotonic();
      if (!TELLABLE.has(failure.code) || nowMs - (loggedMs.get(failure.code) ?? -Infinity) < FAILURE_MS) return;
      loggedMs.set(failure.code, nowMs);
      if (failure.code === "unavailable" || failure.code === "access_denied") isAway = true;
      log("database_failed", { code: failure.code, ...databaseFailure(failure) });
    },
    answered() {
      if (isAway) log("database_back");
      isAway = false;
    },
  };
}
