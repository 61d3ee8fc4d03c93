/** The directory a session is about may be gone by the time somebody goes on in it. */
import { statSync } from "node:fs";

export function hasDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, or not to be looked into: either way nobody can work in it.
    return false;
  }
}

/** A sentence when it is gone. */
export function lostDirectoryMessage(cwd: string): string | undefined {
  if (cwd === "" || hasDirectory(cwd)) return undefined;
  return `the directory of this session is not there any more: ${cwd}; members cannot work in it until it is back`;
}
