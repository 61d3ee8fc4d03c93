/**
 * Descriptors that Roundtable itself was started with. Node marks the first sixteen as its own; any other would reach
 * every program that is started, and a directory that was opened outside leads out of a sandbox.
 */
import { readdirSync, readFileSync } from "node:fs";

/** O_CLOEXEC, as /proc writes it. */
const CLOSED_BY_EXEC = 0o2000000;

/** The highest one, or 2. */
export function lastInherited(): number {
  return readdirSync("/proc/self/fdinfo")
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor))
    .reduce((last, descriptor) => Math.max(last, descriptor), 2);
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSED_BY_EXEC) === 0;
  } catch {
    // Closed meanwhile, such as the one by which the directory was listed.
    return false;
  }
}
