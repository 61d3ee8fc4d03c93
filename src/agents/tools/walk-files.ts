/** Lists the files under a directory where git cannot: never follows a link, heeds .gitignore, skips what tools put there. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isIgnored, parseIgnoreFile, type IgnoreScope } from "./ignore-rules.ts";
import type { TextReader } from "./text-reader.ts";

export interface WalkOptions {
  filesMax: number;
  signal: AbortSignal;
  reader: TextReader;
}

export interface WalkResult {
  paths: string[];
  /** True when there were more files, or deeper directories, than the limits allow. */
  isCut: boolean;
  unreadableDirectories: number;
}

const DEPTH_MAX = 48;

/** Made by tools, not written by people; large, and never the answer to a question about this project. */
const SKIPPED_DIRECTORIES = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".tox"]);

export async function walkFiles(root: string, options: WalkOptions): Promise<WalkResult> {
  const result: WalkResult = { paths: [], isCut: false, unreadableDirectories: 0 };
  const queue: { directory: string; depth: number; scopes: readonly IgnoreScope[] }[] = [
    { directory: "", depth: 0, scopes: [] },
  ];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    options.signal.throwIfAborted();
    const { directory, depth } = next;
    const entries = await readEntries(join(root, directory));
    if (entries === null) {
      result.unreadableDirectories++;
      continue;
    }
    const scopes = entries.some((entry) => entry.name === ".gitignore")
      ? await withIgnoreFile(next.scopes, directory, options.reader)
      : next.scopes;
    const inner: typeof queue = [];
    for (const entry of entries) {
      const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) {
        if (SKIPPED_DIRECTORIES.has(entry.name) || isIgnored(scopes, path, true)) continue;
        if (depth === DEPTH_MAX) result.isCut = true;
        else inner.push({ directory: path, depth: depth + 1, scopes });
      } else if (entry.isFile() && !isIgnored(scopes, path, false)) {
        if (result.paths.length === options.filesMax) return { ...result, isCut: true };
        result.paths.push(path);
      }
    }
    // Taken from the end: reversed, the first directory by name is walked first.
    for (const one of inner.toReversed()) queue.push(one);
  }
  return result;
}

async function readEntries(directory: string) {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // Not ours to read, or gone meanwhile: counted by the caller and said in the answer.
    return null;
  }
}

async function withIgnoreFile(
  scopes: readonly IgnoreScope[],
  base: string,
  reader: TextReader,
): Promise<readonly IgnoreScope[]> {
  const file = await reader.read(base === "" ? ".gitignore" : `${base}/.gitignore`);
  return file.kind === "text" ? [...scopes, { base, rules: parseIgnoreFile(file.text) }] : scopes;
}
