/** Files below a directory whose names may be sessions. Bounded; links are not followed. */
import { readdir } from "node:fs/promises";
import path from "node:path";

/** Further files are not listed, which is reported. */
export const FILES_MAX = 20_000;
const DEPTH_MAX = 16;
const DIRECTORIES_LEFT_OUT = new Set(["node_modules", ".git", "subagents"]);

export interface FileListing {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

export async function findFiles(
  directory: string,
  isWanted: (name: string) => boolean,
  { into = [] }: { into?: readonly string[] } = {},
): Promise<FileListing> {
  const files: string[] = [];
  const isLeftOut = (name: string): boolean => DIRECTORIES_LEFT_OUT.has(name) && !into.includes(name);
  const waiting = [{ directory, depth: 0 }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { directory: here, depth } = next;
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (entry.isDirectory() && depth < DEPTH_MAX && !isLeftOut(entry.name)) {
        waiting.push({ directory: path.join(here, entry.name), depth: depth + 1 });
      } else if (entry.isFile() && isWanted(entry.name)) {
        if (files.length >= FILES_MAX) return { files, isCut: true };
        files.push(path.join(here, entry.name));
      }
    }
  }
  return { files, isCut: false };
}
