/**
 * The end of everything that carries certain marks in its environment, with what it started: the commands of one
 * member's thread, which run under a program that others share.
 * Where the system hides the environment of processes nothing is found, and the program's own cleaning has to do.
 */
import { withDescendants } from "./process-tree.ts";
import type { ProcessRow, ProcessTable } from "../table/process-table.ts";

const GRACE_MS = 200;
const KILL_WAIT_MS = 1_000;
const POLL_INTERVAL_MS = 15;

/** Resolves with those that are still there at the deadline. Never rejects. */
export async function endMarked(table: ProcessTable, markers: ReadonlySet<string>): Promise<readonly ProcessRow[]> {
  const startMs = performance.now();
  let hasSignalled = false;
  for (;;) {
    const targets = await findMarked(table, markers);
    const spentMs = performance.now() - startMs;
    if (targets.length === 0 || spentMs > GRACE_MS + KILL_WAIT_MS) return targets;
    if (!hasSignalled) for (const row of targets) table.signal(row, "SIGTERM");
    if (spentMs >= GRACE_MS) for (const row of targets) table.signal(row, "SIGKILL");
    hasSignalled = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
}

async function findMarked(table: ProcessTable, markers: ReadonlySet<string>): Promise<readonly ProcessRow[]> {
  try {
    const rows = (await table.rows()).filter((row) => row.pid !== process.pid);
    const marked = await table.markers(rows);
    const seeds = rows.filter((row) => markers.has(marked.get(row.pid) ?? ""));
    return withDescendants(seeds, rows, table);
  } catch {
    // The system does not tell for the moment; the sweep of the next start finds what stayed.
    return [];
  }
}
