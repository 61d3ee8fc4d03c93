/**
 * Governed files and directories of a workspace: those in its upper directories, and all that git tracks. Bounded,
 * since an agent waits for it, by the number of directories read.
 */
import path from "node:path";
import { readRegularFile } from "../../../kit/files/read-regular-file.ts";
import { gitDirectoriesOf } from "../git-directories.ts";
import { isGovernedName } from "./is-governed.ts";
import { listEntries } from "./list-entries.ts";

const DIRECTORIES_MAX = 5_000;
/** Large, generated, and full of other projects' governed files. */
const SKIPPED = new Set(
  "node_modules target dist build out vendor venv .venv __pycache__ .cache .next coverage".split(" "),
);

interface UpperDirectory {
  readonly directory: string;
  /** Governed files and directories in it. */
  readonly governed: readonly string[];
}

/** Directories below the root in which governed files are looked for; upper ones first. */
export function upperDirectories(root: string): UpperDirectory[] {
  const queue = [root];
  const directories: UpperDirectory[] = [];
  for (let at = 0; at < queue.length && at < DIRECTORIES_MAX; at += 1) {
    const directory = queue[at] as string;
    const governed: string[] = [];
    for (const entry of listEntries(directory)) {
      const file = path.join(directory, entry.name);
      if (isGovernedName(entry.name)) governed.push(file);
      else if (entry.isDirectory() && isUpper(root, file)) queue.push(file);
    }
    directories.push({ directory, governed });
  }
  return directories;
}

/** Whether governed files are looked for in a directory. */
export function isUpper(root: string, directory: string): boolean {
  const segments = path.relative(root, directory).split(path.sep);
  return !segments.some((segment) => SKIPPED.has(segment) || isGovernedName(segment));
}

/** Absolute paths; of the contents of a governed directory only that directory. */
export function findGoverned(root: string, checkout: string | undefined): string[] {
  const paths = new Set(upperDirectories(root).flatMap(({ governed }) => governed));
  for (const tracked of checkout === undefined ? [] : trackedGoverned(checkout)) {
    if (tracked.startsWith(`${root}/`)) paths.add(tracked);
  }
  return [...paths];
}

/**
 * Git directories below the workspace, with or without that name, files that point to one, and those inside of the
 * checkout's own. Upper directories first; what git tracks as a repository is found at any depth.
 */
export function findRepositories(root: string, checkout: string | undefined): string[] {
  const own = checkout === undefined ? [] : gitDirectoriesOf(checkout).writable;
  const tracked = checkout === undefined ? [] : readIndex(checkout).filter(({ isRepository }) => isRepository);
  const queue = [root, ...own, ...tracked.map(({ file }) => file).filter((file) => file.startsWith(`${root}/`))];
  const repositories = new Set<string>();
  for (let at = 0; at < queue.length && at < DIRECTORIES_MAX; at += 1) {
    const directory = queue[at] as string;
    const entries = listEntries(directory);
    const names = new Set(entries.map(({ name }) => name));
    const isGit = names.has("HEAD") && (names.has("objects") || names.has("commondir"));
    if (isGit) repositories.add(directory);
    for (const entry of entries) {
      const file = path.join(directory, entry.name);
      if (entry.name === ".git" && !entry.isDirectory()) repositories.add(file);
      const isEntered = isGit ? IN_GIT.has(entry.name) : !SKIPPED.has(entry.name);
      if (entry.isDirectory() && isEntered) queue.push(file);
    }
  }
  return [...repositories];
}

/** Where a git directory keeps those of submodules and linked worktrees. */
const IN_GIT = new Set(["modules", "worktrees"]);

const HEADER_BYTES = 12;
const ENTRY_BYTES = 62;
const FLAGS_AT = 60;
const EXTENDED = 0x4000;
const INDEX_BYTES_MAX = 32 * 1024 * 1024;

interface Tracked {
  readonly file: string;
  /** A submodule, or another repository that was added. */
  readonly isRepository: boolean;
}

const MODE_AT = 24;
const REPOSITORY_MODE = 0o160000;

/** Reads git's index, versions 2 to 4; for others only the upper directories are known. */
function readIndex(checkout: string): Tracked[] {
  try {
    return parseIndex(readRegularFile(path.join(gitDirectoriesOf(checkout).writable[0] ?? "", "index")), checkout);
  } catch {
    // Nothing is tracked yet, or git could not read it either.
    return [];
  }
}

function parseIndex(index: Buffer, checkout: string): Tracked[] {
  if (index.length > INDEX_BYTES_MAX || index.toString("latin1", 0, 4) !== "DIRC") return [];
  const version = index.readUInt32BE(4);
  if (version > 4) return [];
  const count = index.readUInt32BE(8);
  const tracked: Tracked[] = [];
  let name = Buffer.alloc(0);
  for (let at = HEADER_BYTES, entry = 0; entry < count && at + ENTRY_BYTES < index.length; entry += 1) {
    const isExtended = (index.readUInt16BE(at + FLAGS_AT) & EXTENDED) !== 0;
    const header = at + ENTRY_BYTES + (isExtended ? 2 : 0);
    // From version 4 on a name begins with a part of the one before it.
    const { value: cut, next: start } = version < 4 ? { value: name.length, next: header } : readNumber(index, header);
    const end = index.indexOf(0, start);
    if (end < 0) break;
    name = Buffer.concat([name.subarray(0, Math.max(0, name.length - cut)), index.subarray(start, end)]);
    const isRepository = index.readUInt32BE(at + MODE_AT) === REPOSITORY_MODE;
    tracked.push({ file: path.join(checkout, name.toString("utf8")), isRepository });
    at = version < 4 ? at + Math.ceil((end + 1 - at) / 8) * 8 : end + 1;
  }
  return tracked;
}

/** Of variable length, as git writes offsets. */
function readNumber(bytes: Buffer, from: number): { value: number; next: number } {
  let next = from;
  let byte = bytes[next++] ?? 0;
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0 && next < bytes.length) {
    byte = bytes[next++] ?? 0;
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}

function trackedGoverned(checkout: string): string[] {
  const paths = new Set<string>();
  for (const { file } of readIndex(checkout)) {
    const segments = path.relative(checkout, file).split(path.sep);
    const governed = segments.findIndex((part) => isGovernedName(part));
    if (governed >= 0) paths.add(path.join(checkout, ...segments.slice(0, governed + 1)));
  }
  return [...paths];
}
