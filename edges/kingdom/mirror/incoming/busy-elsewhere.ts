/**
 * Whether another program has a member at work: some of its commands write no stream while they wait for an answer, but
 * `sessions/<agent>.json` then names the process that they wait for.
 */
import { stat } from "node:fs/promises";
import path from "node:path";
import * as kingdom from "../../format/kingdom.ts";
import { codeOf } from "../files/error-code.ts";
import { readTreeFile } from "../files/tree-file.ts";

export interface BusyQuery {
  readonly branchDir: string;
  readonly thread: string;
  /** The member as files call it. */
  readonly sender: string;
  /** Time of the message; a process recorded before that works on something else. */
  readonly sinceMs: number;
}

export async function isBusyElsewhere({ branchDir, thread, sender, sinceMs }: BusyQuery): Promise<boolean> {
  const file = path.join(branchDir, "sessions", `${sender}.json`);
  try {
    if ((await stat(file)).mtimeMs < sinceMs) return false;
    const { pid, status, thread: other } = kingdom.decodeJsonFile((await readTreeFile(file)) ?? "") ?? {};
    // A mirror of another thread marks its members the same way.
    if (status === "working" && other !== thread) return false;
    return typeof pid === "number" && Number.isSafeInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid);
  } catch {
    // Missing or unreadable: nothing says that the member is working.
    return false;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
