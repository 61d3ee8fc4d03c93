/** Process lists by platform: /proc where it exists, `ps` on other Unix systems, CIM and taskkill on Windows. */
import { existsSync } from "node:fs";
import { execFile } from "node:child_process";
import { createProcList } from "./procfs.ts";
import { type ProcessList, sendSignal, type ProcessRow } from "./process-list.ts";
import { MARKER_VARIABLE } from "../tracking/run-marker.ts";

export function chooseProcessList(platform: NodeJS.Platform = process.platform): ProcessList {
  if (platform === "win32") return createWindowsList();
  return existsSync("/proc/self/stat") ? createProcList() : createPsList();
}

/**
 * Process list by `ps`. Start times are whole seconds that may be reported one second apart, so close ones count as
 * equal; environments are listed only where the system permits it.
 */
const PS_TIMEOUT_MS = 5_000;
const PS_OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const START_TOLERANCE_S = 2;
const COMMAND_CHARS_MAX = 500;

export function createPsList(): ProcessList {
  return {
    name: "ps",
    rows: async () => parsePsRows(await ps(["-axo", "pid=,ppid=,pgid=,stat=,lstart="])),
    markers: async (rows) => {
      if (rows.length === 0) return new Map();
      const [plain, full] = await Promise.all([
        ps(["axww", "-o", "pid=,command="]),
        ps(["axeww", "-o", "pid=,command="]),
      ]);
      const wanted = new Set(rows.map((row) => row.pid));
      return new Map([...parseMarkers(plain, full)].filter(([pid]) => wanted.has(pid)));
    },
    commandOf: (pid) =>
      ps(["-o", "command=", "-ww", "-p", String(pid)]).then(
        (command) => command.trim().slice(0, COMMAND_CHARS_MAX),
        // It has exited; `ps` reports that as a failure.
        () => "",
      ),
    startOfChild: (_pid, spawnedAtMs) => Math.floor(spawnedAtMs / 1000),
    isSameStart: (one, other) => Math.abs(one - other) <= START_TOLERANCE_S,
    isNotBefore: (start, other) => start >= other - START_TOLERANCE_S,
    signal: (row, signal) => sendSignal(row.pid, signal),
    timeOf: (start) => start * 1000,
    bootId: () => "",
  };
}

const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*\S)\s*$/;

export function parsePsRows(output: string): ProcessRow[] {
  return output.split("\n").flatMap((line) => {
    const [, pid, ppid, pgid, state = "Z", lstart = ""] = ROW.exec(line) ?? [];
    const start = Date.parse(`${lstart} UTC`) / 1000;
    if (pid === undefined || state.startsWith("Z") || Number.isNaN(start)) return [];
    return [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), sid: 0, start }];
  });
}

/**
 * The environment is what the longer listing shows after the command. Markers among arguments do not count: a `ps
 * grep` for orphans must not become one.
 */
export function parseMarkers(plain: string, full: string): Map<number, string> {
  const commands = byPid(plain);
  const markers = new Map<number, string>();
  for (const [pid, shown] of byPid(full)) {
    const command = commands.get(pid);
    if (command === undefined || !shown.startsWith(command)) continue;
    const marker = MARKED.exec(shown.slice(command.length))?.[1];
    if (marker !== undefined) markers.set(pid, marker);
  }
  return markers;
}

const MARKED = new RegExp(`(?:^|\\s)${MARKER_VARIABLE}=(\\S+)`);

function byPid(output: string): Map<number, string> {
  return new Map(
    output.split("\n").flatMap((line) => {
      const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      return pid === undefined || command === undefined ? [] : [[Number(pid), command.trimEnd()] as const];
    }),
  );
}

/** Rejects without an answer: an empty list would mean that no process exists. */
function ps(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
    const options = { env, timeout: PS_TIMEOUT_MS, maxBuffer: PS_OUTPUT_BYTES_MAX };
    execFile("/bin/ps", [...args], options, (error, stdout) =>
      error !== null && stdout === "" ? reject(new Error(`ps did not answer: ${error.message}`)) : resolve(stdout),
    );
  });
}

/** Process list of Windows: rows by CIM, taskkill ends a process with its children. */
const QUERY_TIMEOUT_MS = 10_000;
const QUERY_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const QUERY =
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1} {2}' -f $_.ProcessId, $_.ParentProcessId, ([DateTimeOffset]$_.CreationDate).ToUnixTimeSeconds() }";

function createWindowsList(): ProcessList {
  return {
    name: "windows",
    rows: async () => parseCimRows(await run("powershell.exe", ["-NoProfile", "-NonInteractive", "-Command", QUERY])),
    // Windows shows no environment of other processes; the records in run/ name what was started.
    markers: () => Promise.resolve(new Map()),
    commandOf: () => Promise.resolve(""),
    startOfChild: (_pid, spawnedAtMs) => Math.floor(spawnedAtMs / 1000),
    isSameStart: (one, other) => Math.abs(one - other) <= START_TOLERANCE_S,
    isNotBefore: (start, other) => start >= other - START_TOLERANCE_S,
    signal(row, signal) {
      // Windows has no signals: any other would kill the program as hard, but without its children.
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
