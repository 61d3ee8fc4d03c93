/** Check that the directory of a session still exists. */
import { statSync } from "node:fs";

export function hasDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing or not accessible: members cannot work in it.
    return false;
  }
}

/** Warning when it is gone. */
export function lostDirectoryMessage(cwd: string): string | undefined {
  if (cwd === "" || hasDirectory(cwd)) return undefined;
  return `the directory of this session no longer exists: ${cwd}; members cannot work until it is restored`;
}
