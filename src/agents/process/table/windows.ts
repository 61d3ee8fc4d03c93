/** The process table of Windows: CIM tells the rows, taskkill ends a process with all its children. */
import { execFile } from "node:child_process";
import type { ProcessRow, ProcessTable } from "./process-table.ts";

const QUERY_TIMEOUT_MS = 10_000;
const QUERY_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const START_TOLERANCE_S = 2;
const QUERY =
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, ([DateTimeOffset]$_.CreationDate).ToUnixTimeSeconds() }";

export function createWindowsTable(): ProcessTable {
  return {
    name: "windows",
    rows: async () => parseCimRows(await run("powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", QUERY])),
    // No other process's environment can be read there; the records in run/ name what was started.
    markers: () => Promise.resolve(new Map()),
    commandOf: () => Promise.resolve(""),
    startOfChild: (_pid, spawnedAtMs) => Math.floor(spawnedAtMs / 1000),
    isSameStart: (one, other) => Math.abs(one - other) <= START_TOLERANCE_S,
    isNotBefore: (start, other) => start >= other - START_TOLERANCE_S,
    signal(row, signal) {
      // There are no signals there: a polite one would end the program as hard as any other, without its children.
      if (signal === "SIGKILL") void run("taskkill.exe", ["/T", "/F", "/PID", String(row.pid)]);
      return true;
    },
    timeOf: (start) => start * 1000,
    hidesMarkers: true,
    bootId: () => "",
  };
}

export function parseCimRows(output: string): ProcessRow[] {
  return output.split(/\r?\n/).flatMap((line) => {
    const [, pid, ppid, start] = /^(\d+) (\d+) (\d+)$/.exec(line.trim()) ?? [];
    if (pid === undefined) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: 0, sid: 0, start: Number(start) }];
  });
}

function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { timeout: QUERY_TIMEOUT_MS, maxBuffer: QUERY_OUTPUT_BYTES_MAX, windowsHide: true };
    execFile(program, [...args], options, (_error, stdout) => resolve(stdout));
  });
}
