/** How long a process takes by itself: a machine that is busy with others makes it wait, and that time is not its own. */
import { readFileSync } from "node:fs";

const LOOK_MS = 10;

/**
 * Call the result when it is over: milliseconds since the call, without those in which the process or this one wanted to
 * run and had to wait for the machine.
 */
export function startOwnTime(pid: number): () => number {
  const startMs = performance.now();
  const waited = [pid, process.pid].map(watchWaiting);
  return () => {
    const tookMs = performance.now() - startMs;
    // They wait for the same machine at the same time.
    return tookMs - Math.max(...waited.map((stop) => stop()));
  };
}

/** What has ended can no longer be asked, so it is looked at again and again. */
function watchWaiting(pid: number): () => number {
  const beforeMs = waitedMs(pid) ?? 0;
  let nowMs = beforeMs;
  const look = () => (nowMs = waitedMs(pid) ?? nowMs);
  const timer = setInterval(look, LOOK_MS);
  return () => {
    clearInterval(timer);
    return look() - beforeMs;
  };
}

/** Of its first thread, which all of ours do their work in. Undefined when the process has ended. */
function waitedMs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return undefined;
  }
}
