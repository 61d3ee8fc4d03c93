/** Access of a sandbox to the state and the configuration of its agent. */
import { lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync, type Dirent } from "node:fs";
import path from "node:path";
import { realPath, type AccessMap } from "./access-map.ts";
import {
  directoriesOf,
  neededBy,
  neededInProjectBy,
  type KnownDirectory,
  type UserEnvironment,
} from "./agent-directories.ts";
import { findRepositories } from "./governed/find-files.ts";
import { fingerprints, judgeGit } from "./governed/nested-git.ts";
import { holdPlaceholders, isEmptyPlaceholder, type Placeholder } from "./placeholders.ts";
import { readText } from "./read-existing.ts";
import { watchState } from "./state-watch.ts";

export interface AgentPathOptions extends UserEnvironment {
  readonly agent: string;
  /** Our data directory, for the records of placeholders. */
  readonly dataDir: string;
}

/**
 * Opens what the agent needs and closes its configuration, with placeholders for what does not exist. Returns a
 * function to call when the sandbox has ended.
 */
export function setAgentPaths(access: AccessMap, { agent, dataDir, ...userEnv }: AgentPathOptions): () => void {
  const releases: (() => void)[] = [];
  for (const state of directoriesOf(agent, userEnv)) {
    if (state.isGuess !== true) make(state.directory);
    const directory = realPath(state.directory);
    if (directory === undefined) continue;
    releases.push(...setState(access, { ...state, directory }, dataDir));
  }
  for (const { directory, file } of neededBy(agent, userEnv)) {
    make(directory);
    write(path.join(directory, file), "");
  }
  return () => {
    for (const release of releases.splice(0)) release();
  };
}

function setState(access: AccessMap, state: KnownDirectory, dataDir: string): (() => void)[] {
  const { directory, closed = [], hidden = [], own = [], files = {}, firstOf = [], absent = [] } = state;
  const at = (name: string): string => path.join(directory, name);
  // What another sandbox holds goes with that one, unless it is held here too.
  const isMissing = (name: string): boolean =>
    realPath(at(name)) === undefined || isEmptyPlaceholder(at(name), dataDir);
  const groups = firstOf.map((names) => ({ names, isEmpty: names.every(isMissing) }));
  const empty = groups.flatMap(({ names, isEmpty }) => (isEmpty ? names : [])).filter(isWithin);
  const shadowing = groups.flatMap(({ names, isEmpty }) => (isEmpty ? [] : names)).filter(isWithin);
  const folders = [...closed, ...hidden, ...own];
  for (const folder of folders) if (path.dirname(folder) !== ".") make(at(path.dirname(folder)));
  const placeholders: Placeholder[] = [
    ...folders.map((name) => ({ file: at(name) })),
    ...Object.entries(files).map(([name, text]) => ({ file: at(name), text })),
    ...empty.map((name) => ({ file: at(name), text: "" })),
  ];
  const release = holdPlaceholders(placeholders, dataDir);
  access.set(directory, "write");
  const readOnly = [...closed, ...Object.keys(files), ...empty, ...shadowing, ...absent];
  for (const name of [...readOnly, ...programsIn(directory)]) access.close(at(name));
  for (const name of own) access.close(at(name), "private");
  for (const name of hidden) access.close(at(name), "hidden");
  const unwatch = watchState({
    directory,
    absent: [...absent, ...shadowing],
    closed: readOnly,
    mixed: state.mixed ?? {},
  });
  return [unwatch, watchRepositories((state.repositories ?? []).map(at)), release];
}

/**
 * Repositories in which the agent itself runs git: what was planted in them is set aside when the sandbox has ended.
 */
function watchRepositories(folders: readonly string[]): () => void {
  const find = (): string[] => {
    const repositories = folders.flatMap((folder) => findRepositories(folder, undefined));
    // Some agents take that directory for git's home.
    return [...repositories, ...repositories.map((one) => path.join(path.dirname(one), ".gitconfig"))].filter(isThere);
  };
  const before = fingerprints(find());
  const target = (file: string): string => `${file}.replaced-${Date.now()}`;
  return () => void judgeGit(find(), before, { root: "/", isHeld: () => false, target });
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function isWithin(name: string): boolean {
  return !name.startsWith("..");
}

/** Directories where agents keep conversations, caches and copies of files. */
const STATE = new Set(
  `projects sessions archived_sessions todos tasks teams plans jobs file-history history snapshot storage tool-output
  debug log logs statsig telemetry cache backups paste-cache image-cache downloads tmp .tmp sqlite`.split(/\s+/),
);
const PROGRAM = /\.(?:sh|bash|zsh|fish|py|rb|pl|lua|[cm]?[jt]s|toml|ya?ml|md)$/i;
const ENTRIES_MAX = 300;

/** What settings may run or include: existing programs, scripts and texts, and directories that hold programs. */
function programsIn(directory: string): string[] {
  return entriesIn(directory)
    .filter((entry) => !STATE.has(entry.name))
    .filter((entry) => (entry.isDirectory() ? holdsProgram(path.join(directory, entry.name)) : isProgram(entry)))
    .map(({ name }) => name);
}

function holdsProgram(directory: string): boolean {
  const queue = [directory];
  let left = ENTRIES_MAX;
  for (let at = queue.shift(); at !== undefined && left > 0; at = queue.shift()) {
    for (const entry of entriesIn(at)) {
      left -= 1;
      if (entry.isDirectory()) queue.push(path.join(at, entry.name));
      else if (isProgram(entry)) return true;
    }
  }
  return false;
}

function isProgram(entry: Dirent): boolean {
  if (!entry.isFile()) return false;
  const stats = lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
  return PROGRAM.test(entry.name) || (stats !== undefined && (stats.mode & 0o111) !== 0);
}

function entriesIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // Not readable by us, so not by the agent either.
    return [];
  }
}

/** Returns a function that removes the files that were created in the directories. */
export function makeProjectFiles(agent: string, directories: readonly string[]): () => void {
  const needed = neededInProjectBy(agent);
  if (needed === undefined) return () => {};
  const files = directories.map((directory) => path.join(directory, needed.folder, needed.file));
  const made = files.filter((file) => write(file, needed.content));
  return () => {
    for (const file of made.splice(0)) remove(file, needed.content);
  };
}

function make(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    // A file of that name, or a full disk: the agent itself reports what it cannot do without it.
  }
}

function write(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    // It exists, which is enough; or its folder does not, and then it is not needed.
    return false;
  }
}

function remove(file: string, content: string): void {
  try {
    if (readText(file) === content) rmSync(file);
  } catch {
    // Removed meanwhile.
  }
}
