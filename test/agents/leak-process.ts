/** Leaves a process behind as a host would that was killed: marked, alone, and of a host that is no more. */
import { spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { chooseProcessList } from "../../src/agents/process/list/choose-process-list.ts";
import { createHostId, createMarker, MARKER_VARIABLE } from "../../src/agents/process/tracking/run-marker.ts";

export interface LeakedProcess {
  readonly pid: number;
  readonly hostPid: number;
  isRunning(): boolean;
}

export function leakProcess(dataDir: string, member: string): LeakedProcess {
  const hostPid = spawnSync("true").pid;
  const hostId = createHostId({ pid: hostPid, start: 1, table: chooseProcessList().name });
  const env = { PATH: process.env["PATH"] ?? "", [MARKER_VARIABLE]: createMarker({ dataDir, hostId, member }) };
  // Through a shell that leaves at once: what we started ourselves is never taken for a stray.
  const { stdout } = spawnSync("sh", ["-c", "sleep 600 >/dev/null 2>&1 & echo $!"], { env, encoding: "utf8" });
  const pid = Number(stdout);
  onTestFinished(() => void spawnSync("kill", ["-9", String(pid)]));
  return { pid, hostPid, isRunning: () => isRunning(pid) };
}

/** Ended, and merely not collected by whoever inherited it, is ended. */
function isRunning(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}
