/** CPU and memory of processes, from /proc. */
import { readFileSync, readdirSync } from "node:fs";

const TICK_MS = 10;

/** User and system time of a process, including its ended children. */
export function cpuMs(pid: number): number {
  const fields = statOf(pid);
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * TICK_MS;
}

/** The same for a process and its descendants. */
export function treeCpuMs(pid: number): number {
  const parents = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(statOf(Number(name))[1] ?? 0)]),
  );
  const children = (of: number): number[] => [...parents].flatMap(([child, parent]) => (parent === of ? [child] : []));
  const sum = (of: number): number => cpuMs(of) + children(of).reduce((total, child) => total + sum(child), 0);
  return sum(pid);
}

export function rssMb(pid: number): number {
  return statusMb(pid, "VmRSS");
}

/** Of several processes of one program, whose files they share in memory. */
export function jointRssMb(pids: readonly number[]): number {
  const own = pids.reduce((sum, pid) => sum + rssMb(pid) - statusMb(pid, "RssFile"), 0);
  return own + Math.max(...pids.map((pid) => statusMb(pid, "RssFile")));
}

/** Peak memory. */
export function peakRssMb(pid: number): number {
  return statusMb(pid, "VmHWM");
}

function statusMb(pid: number, name: "VmRSS" | "VmHWM" | "RssFile"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Fields after the name, which may contain anything. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    // It has ended meanwhile.
    return [];
  }
}
