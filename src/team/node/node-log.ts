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

/** Is told how the database was at each pulse; says once that it fails, and once that it is back. */
export function createOutageLog(log: NodeLog): (error?: unknown) => void {
  let isAway = false;
  return (error) => {
    if (isAway === (error !== undefined)) return;
    isAway = !isAway;
    if (isAway) log("database_failed", databaseFault(error));
    else log("database_back");
  };
}
