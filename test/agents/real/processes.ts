/** Who was started for a table and still lives: by our mark in the environment, and by the home it runs in. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { markedProcesses } from "../process/start-fake.ts";
import type { ServedSession } from "./served-session.ts";

export interface LivingProcess {
  readonly pid: number;
  readonly command: string;
}

export function livingProcesses(session: ServedSession): LivingProcess[] {
  const marked = markedProcesses(session.dataDir);
  const known = new Set(marked.map(({ pid }) => pid));
  const atHome = readdirSync("/proc")
    .map(Number)
    .filter(
      (pid) => pid > 0 && pid !== session.serverPid && !known.has(pid) && directoryOf(pid).startsWith(session.home),
    );
  return [...marked, ...atHome.map((pid) => ({ pid, command: commandOf(pid) }))];
}

/** Who is still there when the time is up; looks again until nobody is. */
export async function leftProcesses(session: ServedSession, withinMs: number): Promise<LivingProcess[]> {
  return until(
    () => livingProcesses(session),
    withinMs,
    (found) => found.length === 0,
  );
}

/** The last look, at the latest when the time is up. */
export async function until<T>(look: () => T, withinMs: number, isEnough: (seen: T) => boolean): Promise<T> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const seen = look();
    if (isEnough(seen) || performance.now() > endMs) return seen;
    await sleep(50);
  }
}

function directoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    // It has ended, or is not ours to see.
    return "";
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim();
  } catch {
    // It ended while we looked.
    return "";
  }
}
