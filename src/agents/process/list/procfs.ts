/** Process list of Linux, read from /proc: no program is started, start times are exact. */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { MARKER_VARIABLE } from "../tracking/run-marker.ts";
import { sendSignal, type ProcessRow, type ProcessList } from "./process-list.ts";

/** Reads before the event loop gets a turn. */
const READS_PER_SLICE = 200;
const COMMAND_CHARS_MAX = 500;
/** Unit of /proc, whatever the kernel uses internally. */
const TICKS_PER_SECOND = 100;

export function createProcList(): ProcessList {
  return {
    name: "proc",
    rows: async () => {
      const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
      return inSlices(pids.map(Number), (pid) => readRow(pid));
    },
    markers: async (rows) =>
      new Map(
        await inSlices(rows, ({ pid }) => {
          const marker = readMarker(pid);
          return marker === undefined ? undefined : ([pid, marker] as const);
        }),
      ),
    descendantsOf: (pid) => descendantsOf(pid),
    commandOf: (pid) =>
      Promise.resolve((readProc(pid, "cmdline") ?? "").replaceAll("\0", " ").trim().slice(0, COMMAND_CHARS_MAX)),
    startOfChild: (pid) => readRow(pid)?.start ?? 0,
    isSameStart: (one, other) => one === other,
    isNotBefore: (start, other) => start >= other,
    signal: (row, signal) => readRow(row.pid)?.start === row.start && sendSignal(row.pid, signal),
    timeOf: (start) => bootTimeMs() + (start * 1000) / TICKS_PER_SECOND,
    bootId: () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
  };
}

/** Fields after the command, which is in parentheses and may itself contain any character. */
export function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ppid, pgid, sid] = fields;
  const start = fields[19];
  if (state === undefined || start === undefined || state === "Z" || state === "X") return undefined;
  return { pid, ppid: Number(ppid), pgid: Number(pgid), sid: Number(sid), start: Number(start) };
}

function readRow(pid: number): ProcessRow | undefined {
  const stat = readProc(pid, "stat");
  return stat === undefined ? undefined : parseStat(pid, stat);
}

function readMarker(pid: number): string | undefined {
  const environment = readProc(pid, "environ");
  if (environment === undefined) return undefined;
  const entry = environment.split("\0").find((one) => one.startsWith(`${MARKER_VARIABLE}=`));
  return entry === undefined ? undefined : entry.slice(MARKER_VARIABLE.length + 1);
}

/** Called for every process at the end of every turn, so it uses as few system calls as possible. */
function readProc(pid: number, file: string): string | undefined {
  try {
    const fd = openSync(`/proc/${pid}/${file}`, "r");
    try {
      return readWhole(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    // It exited meanwhile or belongs to another user: either way none of ours. Any other error (no file descriptor
    // left) must not pass for an empty list.
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(code)) return undefined;
    throw error;
  }
}

const chunk = Buffer.allocUnsafeSlow(32 * 1024);

function readWhole(fd: number): string {
  let text = "";
  for (;;) {
    const count = readSync(fd, chunk, 0, chunk.length, null);
    text += chunk.toString("latin1", 0, count);
    if (count < chunk.length) return text;
  }
}

function bootTimeMs(): number {
  return Number(/^btime (\d+)$/m.exec(readFileSync("/proc/stat", "latin1"))?.[1] ?? 0) * 1000;
}

/** Follows the kernel's list of children, so that only these processes are read. */
function descendantsOf(root: number): number[] {
  const pids = new Set([root]);
  for (const pid of pids) for (const child of childrenOf(pid)) pids.add(child);
  pids.delete(root);
  return [...pids];
}

function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.flatMap((thread) =>
      (readProc(pid, `task/${thread}/children`) ?? "").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    // It exited meanwhile, or this kernel has no list of children: the full table finds them.
    return [];
  }
}

async function inSlices<In, Out>(items: readonly In[], read: (item: In) => Out | undefined): Promise<Out[]> {
  const results: Out[] = [];
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % READS_PER_SLICE === 0) await setImmediate();
    const one = read(item);
    if (one !== undefined) results.push(one);
  }
  return results;
}
