/** Reads files and directories that may be missing, unreadable or gone at any moment: such a one is empty. */
import { readdirSync, readFileSync } from "node:fs";

export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
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
