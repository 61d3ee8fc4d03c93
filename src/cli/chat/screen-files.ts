/**
 * The small files of the terminal app: what was typed before, drafts, and the user's keys.
 * Promise: a failing disk is told once and never stands in the way of typing; nothing of it throws.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export { createDraftStore } from "./draft-files.ts";
export { createHistoryStore } from "./history-file.ts";

export const KEYS_FILE_BYTES_MAX = 256 * 1024;

export interface KeysFile {
  readonly path: string;
  /** Empty when there is no file. */
  readonly text: string;
  readonly problem?: string;
}

/** The keys file, unread: what it says is for the screen to understand. */
export function loadKeysFile(configDir: string): KeysFile {
  const path = join(configDir, "keys.jsonc");
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { path, text: "", problem: `${path} is not a file; the usual keys hold` };
    if (stat.size > KEYS_FILE_BYTES_MAX) {
      const problem = `${path} has ${stat.size} bytes, ${KEYS_FILE_BYTES_MAX} are allowed; the usual keys hold`;
      return { path, text: "", problem };
    }
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { path, text: "" };
    return { path, text: "", problem: `${path} cannot be read (${code}); the usual keys hold` };
  }
}
