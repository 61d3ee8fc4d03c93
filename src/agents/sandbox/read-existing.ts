/** Reads files and directories that may be missing, unreadable, no file, or gone at any moment: such a one is empty. */
import { readdirSync } from "node:fs";
import { readRegularFile } from "../../kit/files/read-regular-file.ts";

export function readText(file: string): string {
  try {
    return readRegularFile(file).toString("utf8");
  } catch {
    return "";
  }
}

export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
