/**
 * Git directories of a working tree: its own, and for linked worktrees and submodules the one it points to. Commits
 * need all of them; hooks and configuration in them name programs that run later, outside.
 * Guarantee: a directory outside the working tree is opened only when it points back to the working tree: what an agent
 * has written into `.git` opens nothing.
 */
import { lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { realPath } from "./access-map.ts";
import { namesIn, readText } from "./read-existing.ts";

export interface GitDirectories {
  readonly writable: readonly string[];
  /** Files and directories in them, or named by their configuration, that stay read-only. */
  readonly closed: readonly string[];
}

const CLOSED = ["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"];
/** Limit of submodules and linked worktrees inside one repository. Further ones are ignored. */
const INNER_MAX = 50;

/** For the repository with root `root`; empty when it is none. */
export function gitDirectoriesOf(root: string): GitDirectories {
  const entry = path.join(root, ".git");
  const stats = lstatSync(entry, { throwIfNoEntry: false });
  if (stats === undefined) return { writable: [], closed: [] };
  if (stats.isDirectory()) return describe(root, [entry], []);
  const directory = stats.isFile() ? pointedTo(entry) : undefined;
  return describe(root, directory === undefined ? [] : [directory, ...sharedBy(directory)], [entry]);
}

function describe(root: string, writable: string[], closed: string[]): GitDirectories {
  const all = [...writable, ...writable.flatMap(innerOf)].filter(isRepository);
  return { writable, closed: [...closed, ...new Set(all.flatMap((directory) => closedIn(directory, root)))] };
}

/** Target of a `.git` file, if that directory points back. */
function pointedTo(entry: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(readText(entry))?.[1];
  const directory = target === undefined ? undefined : realPath(path.resolve(path.dirname(entry), target.trim()));
  if (directory === undefined) return undefined;
  const worktree = readText(path.join(directory, "gitdir")).trim();
  const submodule = /^\s*worktree = "?(.+?)"?$/m.exec(readText(path.join(directory, "config")))?.[1];
  const back = worktree === "" ? submodule && path.join(submodule, ".git") : worktree;
  return back !== undefined && realPath(path.resolve(directory, back)) === realPath(entry) ? directory : undefined;
}

/** Main repository of a linked worktree. */
function sharedBy(directory: string): string[] {
  const folder = path.dirname(directory);
  const isLinked = path.basename(folder) === "worktrees" && readText(path.join(directory, "commondir")) !== "";
  return isLinked && isRepository(path.dirname(folder)) ? [path.dirname(folder)] : [];
}

function closedIn(directory: string, root: string): string[] {
  const config = readText(path.join(directory, "config"));
  try {
    mkdirSync(path.join(directory, "hooks"), { recursive: true });
    if (/^\s*worktreeconfig\s*=\s*true/im.test(config)) {
      writeFileSync(path.join(directory, "config.worktree"), "", { flag: "wx" });
    }
  } catch {
    // It exists, or we may not write there: then nobody can plant anything there either.
  }
  return [...CLOSED.map((name) => path.join(directory, name)), ...namedBy(config, directory, root)];
}

function isRepository(directory: string): boolean {
  return statSync(path.join(directory, "HEAD"), { throwIfNoEntry: false }) !== undefined;
}

/** Included configuration files and the hooks directory, wherever they are. */
function namedBy(config: string, directory: string, root: string): string[] {
  const values = (key: string): string[] =>
    [...config.matchAll(new RegExp(`^\\s*${key}\\s*=\\s*"?([^"\\n]+?)"?\\s*$`, "gim"))].map(([, value = ""]) => value);
  return [
    ...values("hookspath").map((name) => path.resolve(root, name)),
    ...values("path").map((name) => path.resolve(directory, name)),
  ];
}

function innerOf(directory: string): string[] {
  return ["worktrees", "modules"]
    .flatMap((folder) => namesIn(path.join(directory, folder)).map((name) => path.join(directory, folder, name)))
    .slice(0, INNER_MAX);
}
