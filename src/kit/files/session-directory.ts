import { statSync } from "node:fs";
import { resolve } from "node:path";
import { usageFailure } from "../failure.ts";

/** Whether a session can use the directory: it exists and is a directory. */
export function sessionDirectory(given: string, from: string): string {
  const directory = resolve(from, given);
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) {
    throw usageFailure(`the directory ${directory} does not exist`);
  }
  return directory;
}
