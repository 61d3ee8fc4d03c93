/**
 * Where git keeps what belongs to a working tree: its directory, and for linked worktrees and submodules the ones it
 * points to. Commits need all of them; hooks and configuration in them name programs that run later, outside.
 */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

export interface GitDirectories {
  readonly writable: readonly string[];
  /** Files and directories in them, or named by their configuration, that stay read-only. */
  readonly closed: readonly string[];
}

const CLOSED = ["hooks", "config", "config.worktree", "commondir", "gitdir", "info/attributes"];
/** Repositories inside of one: submodules and linked worktrees. More than that are not looked at. */
const INNER_MAX = 50;

/** Of the repository whose root is `root`; nothing when it is none. */
export function gitDirectoriesOf(root: string): GitDirectories {
  const entry = path.join(root, ".git");
  const stats = statSync(entry, { throwIfNoEntry: false });
  if (stats === undefined) return { writable: [], closed: [] };
  const directory = stats.isDirectory() ? entry : pointedTo(entry);
  if (directory === undefined) return { writable: [], closed: [entry] };
  const shared = readText(path.join(directory, "commondir")).trim();
  const common = shared === "" ? directory : path.resolve(directory, shared);
  const all = [directory, common, ...innerOf(common)];
  return {
    writable: [...new Set([directory, common])],
    closed: [...(stats.isDirectory() ? [] : [entry]), ...new Set(all.flatMap((one) => closedIn(one, root)))],
  };
}

function closedIn(directory: string, root: string): string[] {
  try {
    if (isRepository(directory)) mkdirSync(path.join(directory, "hooks"), { recursive: true });
  } catch {
    // Read-only or of another user: then nobody plants a hook there either.
  }
  return [
    ...CLOSED.map((name) => path.join(directory, name)),
    ...namedBy(path.join(directory, "config"), directory, root),
  ];
}

function isRepository(directory: string): boolean {
  return statSync(path.join(directory, "HEAD"), { throwIfNoEntry: false }) !== undefined;
}

/** What a configuration includes, and the directory of its hooks, wherever they are. */
function namedBy(config: string, directory: string, root: string): string[] {
  const text = readText(config);
  const hooks = [...text.matchAll(/^\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(([, name = ""]) => [root, name]);
  const included = [...text.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gim)].map(([, name = ""]) => [directory, name]);
  return [...hooks, ...included].flatMap(([base = "", name = ""]) =>
    name.startsWith("~") ? [] : [path.resolve(base, name)],
  );
}

function innerOf(common: string): string[] {
  const worktrees = namesIn(path.join(common, "worktrees")).map((name) => path.join(common, "worktrees", name));
  const modules = namesIn(path.join(common, "modules")).map((name) => path.join(common, "modules", name));
  return [...worktrees, ...modules].slice(0, INNER_MAX);
}

function pointedTo(file: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(readText(file))?.[1];
  return target === undefined ? undefined : path.resolve(path.dirname(file), target.trim());
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // There are none.
    return [];
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not there, or not a file.
    return "";
  }
}
