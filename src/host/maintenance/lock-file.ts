/** The lock file of a session that is gone. Removed only by its holder: a lock file that others can still take must stay. */
import { rmSync } from "node:fs";
import type { SessionPaths } from "../../log/index.ts";

export function removeLockFile({ lock }: SessionPaths): void {
  try {
    rmSync(lock, { force: true });
  } catch {
    // Some systems keep what is open; an empty file without a session does no harm.
  }
}
