/** Files of a directory: tracked and untracked ones by git, by walking where git has no answer. */
import ignore, { type Ignore } from "ignore";
import { runGit } from "./git.ts";
import type { TextReader } from "./text-reader.ts";
import { StringDecoder } from "node:string_decoder";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

export interface FileList {
  /** Relative, with `/`; in the order of the source. */
  paths: readonly string[];
  by: "git" | "walk";
  /** True when there are more files. */
  isCut: boolean;
  unreadableDirectories: number;
}

export const FILES_MAX = 50_000;
const GIT_MS_MAX = 3_000;

const LIST_ARGS = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--", "."];

export async function listFiles(
  root: string,
  options: { signal: AbortSignal; reader: TextReader; filesMax?: number; marker?: string | undefined },
): Promise<FileList> {
  const { signal, reader, marker, filesMax = FILES_MAX } = options;
  const splitter = createPathSplitter(filesMax);
  const end = await runGit({
    cwd: root,
    args: LIST_ARGS,
    signal,
    marker,
    timeoutMs: GIT_MS_MAX,
    onOutput: splitter.push,
  });
  signal.throwIfAborted();
  const isListed = end === "done" || end === "enough" || end === "timed_out";
  // Git lists nothing in an ignored directory, although the session may be about it.
  if (isListed && splitter.paths.length > 0) {
    return { paths: splitter.paths, by: "git", isCut: end !== "done", unreadableDirectories: 0 };
  }
  return { ...(await walkFiles(root, { filesMax, signal, reader })), by: "walk" };
}

// Splitter for NUL-separated paths; chunks may end inside a character.
interface PathSplitter {
  readonly paths: string[];
  /** Returns false once the limit is reached. */
  push: (bytes: Buffer) => boolean;
}

/** Bounds output without a NUL; no file system has longer paths. */
const PATH_CHARS_MAX = 8_192;

export function createPathSplitter(filesMax: number): PathSplitter {
  const decoder = new StringDecoder("utf8");
  const paths: string[] = [];
  let rest = "";
  const push = (bytes: Buffer): boolean => {
    const parts = (rest + decoder.write(bytes)).split("\0");
    rest = (parts.pop() ?? "").slice(0, PATH_CHARS_MAX);
    for (const path of parts) {
      if (!isBelow(path)) continue;
      if (paths.length === filesMax) return false;
      paths.push(path);
    }
    return true;
  };
  return { paths, push };
}

/** A repository can point its work tree elsewhere; such paths leave the directory. */
function isBelow(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.split("/").includes("..");
}

// Walk without following links; honours .gitignore and skips generated directories.
interface WalkOptions {
  filesMax: number;
  signal: AbortSignal;
  reader: TextReader;
}

interface WalkResult {
  paths: string[];
  /** True when file or depth limit was hit. */
  isCut: boolean;
  unreadableDirectories: number;
}

const DEPTH_MAX = 48;

/** Generated, large, and never relevant to questions about the project. */
const SKIPPED_DIRECTORIES = new Set([".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".tox"]);

async function walkFiles(root: string, options: WalkOptions): Promise<WalkResult> {
  const result: WalkResult = { paths: [], isCut: false, unreadableDirectories: 0 };
  const queue: { directory: string; depth: number; scopes: readonly IgnoreScope[] }[] = [
    { directory: "", depth: 0, scopes: [] },
  ];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    options.signal.throwIfAborted();
    const { directory, depth } = next;
    const entries = await readEntries(join(root, directory));
    if (entries === undefined) {
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
    // Reversed because the queue is popped from the end.
    for (const one of inner.toReversed()) queue.push(one);
  }
  return result;
}

async function readEntries(directory: string) {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // Not readable or gone; the caller counts and reports it.
    return undefined;
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

interface IgnoreScope {
  /** Directory of the ignore file, relative to the root: "" or "a/b". */
  base: string;
  rules: Ignore;
}

/** Cap on rules of one ignore file. */
const RULES_MAX = 2_000;
/** Rules with more `**` than this are dropped: the time to match one grows exponentially, and the file is not ours. */
const DOUBLE_STARS_MAX = 2;

export function parseIgnoreFile(text: string): Ignore {
  const rules = text.split("\n").filter((line) => line.split("**").length - 1 <= DOUBLE_STARS_MAX);
  return ignore({ ignorecase: false }).add(rules.slice(0, RULES_MAX));
}

/** The last matching rule decides; rules of inner directories come after those of outer ones. */
export function isIgnored(scopes: readonly IgnoreScope[], path: string, isDirectory: boolean): boolean {
  for (const { base, rules } of scopes.toReversed()) {
    const name = base === "" ? path : path.slice(base.length + 1);
    const { ignored, unignored } = rules.test(isDirectory ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}
