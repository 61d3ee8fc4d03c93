/** Makes a directory and those above it. `mkdir` of Node with `recursive` loops for ever where none can be made, as in /proc. */
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

/** Whether it was made; false when it was there. */
export function makeDirectory(directory: string, mode: number): boolean {
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return false;
  const parent = path.dirname(directory);
  if (parent !== directory) makeDirectory(parent, mode);
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    // Another process made it in the meantime.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
