/**
 * Small files of the terminal app: input history, drafts, and the user's keys.
 * They never throw: a failing disk is reported once and never blocks typing.
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

/** The text of the keys file; the screen parses it. */
export function loadKeysFile(configDir: string): KeysFile {
  const path = join(configDir, "keys.jsonc");
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { path, text: "", problem: `${path} is not a file; using the default keys` };
    if (stat.size > KEYS_FILE_BYTES_MAX) {
      const problem = `${path} has ${stat.size} bytes; at most ${KEYS_FILE_BYTES_MAX} are allowed; using the default keys`;
      return { path, text: "", problem };
    }
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { path, text: "" };
    return { path, text: "", problem: `${path} cannot be read (${code}); using the default keys` };
  }
}
