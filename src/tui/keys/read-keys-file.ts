/** The user's keys file: the keys it gives, and what is wrong with it, each with the file's name. */
import type { Keymap } from "./keymap.ts";
import { parseKeymap } from "./parse-keymap.ts";

export interface KeysFile {
  readonly path: string;
  readonly text: string;
  /** Why it could not be read. */
  readonly problem?: string;
}

export function readKeysFile({ path, text, problem }: KeysFile): { keymap: Keymap; problems: readonly string[] } {
  const { keymap, problems } = parseKeymap(text);
  return { keymap, problems: problem === undefined ? problems.map((one) => `${path}: ${one}`) : [problem] };
}
