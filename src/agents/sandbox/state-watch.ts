/**
 * What no mount can hold in an agent's state, put right as soon as it is seen and when the sandbox has ended: names
 * that must not appear, links in place of which something else was put, and configuration inside of state files.
 */
import { lstatSync, readlinkSync, renameSync, symlinkSync, watch, type FSWatcher } from "node:fs";
import path from "node:path";
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
  const watcher = startWatching(directory, check);
  return () => {
    watcher?.close();
    check();
  };
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
