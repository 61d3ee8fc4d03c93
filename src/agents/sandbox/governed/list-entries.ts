/** What is in a directory, also in one that a member has made unlistable to hide it: its files open by name. */
import { chmodSync, readdirSync, type Dirent } from "node:fs";
import { statsOf } from "./quarantine.ts";

const READ = 0o400;
const SEARCH = 0o100;

export function listEntries(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return makeListable(directory) ? listEntries(directory) : [];
  }
}

/** False where nothing could be opened either. */
function makeListable(directory: string): boolean {
  const stats = statsOf(directory);
  if (stats?.isDirectory() !== true || (stats.mode & (READ | SEARCH)) !== SEARCH) return false;
  try {
    chmodSync(directory, (stats.mode & 0o7777) | READ);
    return true;
  } catch {
    // It is somebody else's.
    return false;
  }
}
