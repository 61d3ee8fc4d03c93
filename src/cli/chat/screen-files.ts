/**
 * Small files of the terminal app: input history, drafts, and the user's keys.
 * They never throw: a failing disk is reported once and never blocks typing.
 */
import { readFileSync, statSync, mkdirSync } from "node:fs";
import path from "node:path";
import { join } from "node:path";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import type { ScreenOptions } from "../../tui/index.ts";

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

/**
 * `screen.jsonc` in the configuration directory: `/settings` edits single keys and keeps the rest, comments included.
 */
const FILE_BYTES_MAX = 256 * 1024;

type SettingsFile = ScreenOptions["settingsFile"];

export function loadScreenSettings(configDir: string): SettingsFile {
  const file = path.join(configDir, "screen.jsonc");
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX) {
      const problem = `${file} has ${size} bytes; at most ${FILE_BYTES_MAX} are allowed; using the default settings`;
      return { path: file, text: "", problem };
    }
    return { path: file, text: readFileSync(file, "utf8") };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { path: file, text: "" };
    return { path: file, text: "", problem: `${file} cannot be read (${code}); using the default settings` };
  }
}

/** Serialized, so that concurrent changes are both saved. Rejects when the file cannot be read or written. */
export function createSettingsWriter(configDir: string): ScreenOptions["saveSetting"] {
  let last: Promise<void> = Promise.resolve();
  const save = async (name: string, value: string | boolean): Promise<void> => {
    const { applyEdits, modify } = await import("jsonc-parser");
    const { path: file, text, problem } = loadScreenSettings(configDir);
    if (problem !== undefined) throw new Error(problem);
    const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
    const before = text.trim() === "" ? "{}\n" : text;
    const after = applyEdits(before, modify(before, [name], value, { formattingOptions }));
    mkdirSync(configDir, { recursive: true, mode: 0o700 });
    await writeFileAtomic(file, after);
  };
  return (name, value) => {
    const saving = last.then(() => save(name, value));
    last = saving.catch(() => {
      // Reported to the caller; later changes are still attempted.
    });
    return saving;
  };
}
