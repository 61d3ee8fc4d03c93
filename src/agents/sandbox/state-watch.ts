/**
 * Repairs what no mount can protect in an agent's state, as soon as it is seen and when the sandbox has ended: names
 * that must not appear, replaced links, and configuration inside state files. New
 * links out of the state are set aside at the end: outside the sandbox the agent would write through them.
 */
import {
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  watch,
  type Dirent,
  type FSWatcher,
} from "node:fs";
import path from "node:path";
import { isInside } from "../tools/inside.ts";
import { realPath } from "./access-map.ts";
import { readEntries, restoreEntries, type Governs } from "./mixed-files.ts";

export interface StateWatchOptions {
  readonly directory: string;
  /** Names that must not appear. */
  readonly absent: readonly string[];
  /** Names that are closed; those that are links are put back. */
  readonly closed: readonly string[];
  readonly mixed: Readonly<Record<string, Governs>>;
}

/** Returns a function that checks for the last time. */
export function watchState({ directory, absent, closed, mixed }: StateWatchOptions): () => void {
  const at = (name: string): string => path.join(directory, name);
  const missing = absent.filter((name) => !exists(at(name)));
  const links = closed.flatMap((name) => linkAt(at(name)));
  const files = Object.entries(mixed).map(([name, governs]) => ({
    file: at(name),
    governs,
    before: readEntries(at(name)),
  }));
  const check = (): void => {
    for (const name of missing) if (exists(at(name))) setAside(at(name));
    for (const link of links) putBack(link);
    for (const { file, before, governs } of files) tryQuietly(() => restoreEntries(file, before, governs));
  };
  const sinceMs = Date.now() - CLOCK_MS;
  const watcher = startWatching(directory, check);
  return () => {
    watcher?.close();
    check();
    const own = new Set(links.map(({ file }) => file));
    for (const link of linksOut(directory, sinceMs)) if (!own.has(link)) setAside(link);
  };
}

/** File systems stamp by a coarser clock. */
const CLOCK_MS = 1_000;
const DIRECTORIES_MAX = 2_000;

/** New links to something else than the state itself and programs, to which some agents link. */
function linksOut(root: string, sinceMs: number): string[] {
  const queue = [root];
  const links: string[] = [];
  for (let at = 0; at < queue.length && at < DIRECTORIES_MAX; at += 1) {
    for (const entry of entriesIn(queue[at] as string)) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isDirectory()) queue.push(file);
      if (entry.isSymbolicLink() && isNewer(file, sinceMs) && leadsOut(file, root)) links.push(file);
    }
  }
  return links;
}

function isNewer(file: string, sinceMs: number): boolean {
  return (lstatSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= sinceMs;
}

function leadsOut(link: string, root: string): boolean {
  const [{ target } = { target: "" }] = linkAt(link);
  const real = realPath(link) ?? path.resolve(path.dirname(link), target);
  const stats = statSync(real, { throwIfNoEntry: false });
  const isProgram = stats?.isFile() === true && (stats.mode & 0o111) !== 0;
  return !isProgram && !isInside(root, real);
}

function entriesIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Gone, or not readable by us.
    return [];
  }
}

function startWatching(directory: string, check: () => void): FSWatcher | undefined {
  try {
    // Without an error listener a removed directory would end the process.
    return watch(directory, { persistent: false }, check).on("error", () => {});
  } catch {
    // Too many watches, or no such directory: then it is checked at the end only.
    return undefined;
  }
}

interface Link {
  readonly file: string;
  readonly target: string;
}

function linkAt(file: string): Link[] {
  try {
    return [{ file, target: readlinkSync(file) }];
  } catch {
    // Not a link.
    return [];
  }
}

function putBack({ file, target }: Link): void {
  if (linkAt(file)[0]?.target === target) return;
  if (exists(file)) setAside(file);
  tryQuietly(() => symlinkSync(target, file));
}

/** To a name that no agent reads. */
function setAside(file: string): void {
  tryQuietly(() => renameSync(file, `${file}.replaced-${Date.now()}`));
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function tryQuietly(work: () => void): void {
  try {
    work();
  } catch {
    // Another process was faster, or the disk is full; it is tried again with the next check.
  }
}
