/**
 * Checks that a file or directory is writable by this user alone, because its content is trusted (a server's address
 * and token, programs to start). Checks every component of the path, symlinks included: whoever can replace a component
 * can replace the whole.
 */

import { lstatSync, readdirSync, readlinkSync, statSync, type Stats, mkdirSync } from "node:fs";
import path from "node:path";

export interface NotPrivate {
  /** Predicate of a sentence whose subject is the directory. */
  readonly problem: string;
  /** Suggested fix, with the command where there is one. */
  readonly fix: string;
}

interface PrivateOptions {
  /** Accept root as owner: an administrator may have set the directory up. */
  readonly mayBeRoots?: boolean;
}

const LINKS_MAX = 40;
const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;

/** Undefined when it is private, or does not exist yet and would be. Throws the system's error for unreadable paths. */
export function whyNotPrivate(directory: string, { mayBeRoots = false }: PrivateOptions = {}): NotPrivate | undefined {
  const { getuid } = process;
  // Windows has no uid and mode bits.
  if (getuid === undefined) return undefined;
  const walked = walk(path.resolve(directory), getuid.call(process));
  if (walked === undefined || "problem" in walked) return walked;
  const { stats, real } = walked;
  const isOwned = stats.uid === getuid.call(process) || (mayBeRoots && stats.uid === 0);
  if (!isOwned) {
    return { problem: `belongs to another user, uid ${stats.uid}`, fix: "Choose another directory" };
  }
  if (!isWritableByOthers(stats)) return undefined;
  const mode = (stats.mode & 0o7777).toString(8).padStart(4, "0");
  return {
    problem: `can be written by other users: its mode is ${mode}`,
    fix: `Run \`chmod ${stats.isDirectory() ? "700" : "600"} ${quoted(real)}\``,
  };
}

/** First entry owned by another user: created while the directory was writable by others. */
export function entryOfOtherUser(directory: string): string | undefined {
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  return readdirSync(directory)
    .map((name) => path.join(directory, name))
    .find((entry) => (lstatSync(entry, { throwIfNoEntry: false })?.uid ?? uid) !== uid);
}

type Walked = NotPrivate | { readonly stats: Stats; readonly real: string } | undefined;

/** Walks from the root down and resolves symlinks itself. */
function walk(target: string, uid: number): Walked {
  const trusted = new Set([uid, 0, statSync("/").uid]);
  let rest = target.split(path.sep).filter((part) => part !== "");
  let at = "/";
  let stats = lstatSync(at);
  for (let links = 0; rest.length > 0;) {
    const [name = "", ...after] = rest;
    const next = path.join(at, name);
    const nextStats = lstatSync(next, { throwIfNoEntry: false });
    const isOpen = (stats.mode & OTHERS_WRITE) !== 0 && (stats.mode & STICKY) === 0;
    if (isOpen) return replaceable(at);
    if (nextStats === undefined) return undefined;
    if (nextStats.isSymbolicLink()) {
      const isChangeable = !trusted.has(stats.uid) || (isWritableByOthers(stats) && (stats.mode & STICKY) === 0);
      if (!trusted.has(nextStats.uid) || isChangeable) return untrustedLink(next);
      links += 1;
      if (links > LINKS_MAX) throw Object.assign(new Error(`too many links in ${target}`), { code: "ELOOP" });
      const leadsTo = path.resolve(at, readlinkSync(next));
      rest = [...leadsTo.split(path.sep).filter((part) => part !== ""), ...after];
      at = "/";
      stats = lstatSync(at);
      continue;
    }
    [rest, at, stats] = [after, next, nextStats];
  }
  return { stats, real: at };
}

function replaceable(at: string): NotPrivate {
  return {
    problem: `is in ${at}, where any user can replace it`,
    fix: `Run \`chmod o-w ${quoted(at)}\`, or choose another directory`,
  };
}

function untrustedLink(link: string): NotPrivate {
  return {
    problem: `is reached through the link ${link}, which another user could have made`,
    fix: "Name the directory without the link",
  };
}

/** A user's private group (gid equal to uid) contains nobody else. */
function isWritableByOthers({ mode, gid }: Stats): boolean {
  if ((mode & OTHERS_WRITE) !== 0) return true;
  const isOwnGroup = gid === process.getgid?.() && gid === process.getuid?.();
  return (mode & GROUP_WRITES) !== 0 && !isOwnGroup;
}

/** Quoted as one shell argument. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Creates a directory and its parents; false when it exists. `mkdir` with `recursive` loops forever where creation is
 * impossible, as in /proc.
 */
export function makeDirectory(directory: string, mode: number): boolean {
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return false;
  const parent = path.dirname(directory);
  if (parent !== directory) makeDirectory(parent, mode);
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    // Created by another process in the meantime.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
