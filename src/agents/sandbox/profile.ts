/** Access of one program by path, from its driver's request; the same on every system. */
import path from "node:path";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import { checkoutDirectories } from "../../kit/files/checkout-directories.ts";
import { AccessMap, realPath, type Mount } from "./access-map.ts";
import { makeProjectFiles, setAgentPaths, type UserEnvironment } from "./agent-directories.ts";
import { setHiddenPaths, setSockets } from "./hidden-paths.ts";
import type { SandboxRequest } from "./sandbox.ts";
import { setSystemPaths } from "./system-paths.ts";
import { checkoutRoot } from "../process/launch/checkout.ts";
import { gitDirectoriesOf } from "./git-directories.ts";
import { findGoverned } from "./governed/find-files.ts";
import { governedNames } from "./governed/is-governed.ts";

export interface Profile {
  readonly mounts: readonly Mount[];
  readonly env: Record<string, string>;
  /** Removes what was created for it. */
  readonly release: () => void;
}

export interface ProfileOptions extends UserEnvironment {
  readonly request: SandboxRequest;
  readonly program: string;
  /** Arguments that may be programs, where an interpreter runs one. */
  readonly scripts: readonly string[];
  /** Our own directories. */
  readonly own: readonly string[];
  /** Directory for temporary files of the program. */
  readonly temporary: string;
}

export function createProfile({ request, home, env, program, scripts, own, temporary }: ProfileOptions): Profile {
  const { agent, workspace, isWritable, settings, shown = [], denied = [] } = request;
  const access = new AccessMap();
  setSystemPaths(access, { temporary, env });
  access.set(home, "read");
  const giveBack = setWorkspace(access, workspace, isWritable);
  const removeProjectFiles = makeProjectFiles(agent, checkoutDirectories(realPath(workspace) ?? workspace));
  const putBackLinks = setAgentPaths(access, agent, { home, env });
  setHiddenPaths(access, { home, env, agent, own });
  const passed = setSockets(access, { home, env, opened: settings.sockets, shown });
  if (isWritable) for (const file of settings.write) access.set(expand(file, home), "write");
  for (const file of denied) access.close(file);
  for (const script of [...scripts, ...shown.filter((file) => SCRIPT.test(file))]) showScript(access, script);
  for (const file of [program, ...shown]) show(access, file);
  showPackage(access, program);
  const release = (): void => {
    removeProjectFiles();
    giveBack();
    putBackLinks();
  };
  return { mounts: access.mounts(), env: { ...passed, ...temporaryVariables(temporary, isWritable) }, release };
}

/** It may load other files of its package. */
const SCRIPT = /\.[cm]?[jt]s$/;

/** Paths that would be hidden or writable are shown read-only. */
function show(access: AccessMap, file: string): void {
  const real = realPath(file);
  if (real !== undefined && access.accessOf(real) !== "read") access.set(real, "read");
}

/** Files of the program itself: shown where they would be hidden, and not writable for an agent in the workspace. */
function showPackage(access: AccessMap, program: string): void {
  const real = realPath(program) ?? program;
  const [, modules, name] = /^(.*?\/node_modules)\/((?:@[^/]+\/)?[^/]+)\//.exec(real) ?? [];
  if (modules === undefined || name === undefined) return;
  if (access.accessOf(modules) === "write") access.close(path.join(modules, name));
  else show(access, modules);
}

/** Program in a temporary directory that an interpreter runs, with its package. */
function showScript(access: AccessMap, script: string): void {
  const real = path.isAbsolute(script) ? realPath(script) : undefined;
  if (real === undefined || access.accessOf(real) !== "private") return;
  let shown = real;
  for (let at = path.dirname(real); access.accessOf(path.dirname(at)) === "private"; at = path.dirname(at)) {
    if (realPath(path.join(at, "package.json")) !== undefined) shown = at;
  }
  access.set(shown, "read");
}

/**
 * Caches are in the home directory, where nothing is writable: a writable session has its own, which are removed with
 * it.
 */
const CACHES: Readonly<Record<string, string>> = {
  npm_config_cache: "npm",
  YARN_CACHE_FOLDER: "yarn",
  PIP_CACHE_DIR: "pip",
  UV_CACHE_DIR: "uv",
  GOCACHE: "go-build",
  GOMODCACHE: "go-mod",
  DENO_DIR: "deno",
  BUN_INSTALL_CACHE_DIR: "bun",
  COMPOSER_CACHE_DIR: "composer",
  NUGET_PACKAGES: "nuget",
  GRADLE_USER_HOME: "gradle",
  CCACHE_DIR: "ccache",
  RUFF_CACHE_DIR: "ruff",
  PRE_COMMIT_HOME: "pre-commit",
};

function temporaryVariables(directory: string, isWritable: boolean): Record<string, string> {
  const caches = isWritable ? Object.entries(CACHES) : [];
  return {
    TMPDIR: directory,
    TMP: directory,
    TEMP: directory,
    ...Object.fromEntries(caches.map(([variable, name]) => [variable, path.join(directory, "cache", name)])),
  };
}

function expand(file: string, home: string): string {
  return file === "~" || file.startsWith("~/") ? path.join(home, file.slice(1)) : path.resolve(home, file);
}

/**
 * The workspace and its git directories: shown in every session; writable in a writable one, except for governed files.
 */
/** Returns a function that removes the directories that were created. */
function setWorkspace(access: AccessMap, workspace: string, isWritable: boolean): () => void {
  const root = realPath(workspace) ?? workspace;
  const checkout = checkoutRoot(root);
  const { writable, closed } = gitDirectoriesOf(checkout ?? root);
  access.set(checkout ?? root, "read");
  for (const directory of writable) access.set(directory, isWritable ? "write" : "read");
  access.set(root, isWritable ? "write" : "read");
  if (!isWritable) return () => {};
  const removeMade = makeGoverned(root);
  const release = (): void => {
    removeMade();
    for (const directory of writable) setAsidePlanted(directory);
  };
  for (const file of closed) access.close(file);
  for (const file of findGoverned(root, checkout)) {
    if (path.basename(file) !== ".git") access.close(file);
    else for (const inGit of gitDirectoriesOf(path.dirname(file)).closed) access.close(inGit);
  }
  return release;
}

/**
 * A repository that is no linked worktree has no `commondir`: with one, git would read its hooks and configuration from
 * wherever that says. A missing file cannot be closed.
 */
function setAsidePlanted(directory: string): void {
  const file = path.join(directory, "commondir");
  if (path.basename(path.dirname(directory)) === "worktrees") return;
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) renameSync(file, `${file}.replaced-${Date.now()}`);
  } catch {
    // Another process was faster.
  }
}

/** Number of sandboxes that need a created directory; once removed it is no longer closed for any of them. */
const users = new Map<string, number>();

function makeGoverned(root: string): () => void {
  const made = governedNames
    .filter(({ isMade }) => isMade)
    .map(({ name }) => path.join(root, name))
    .filter((directory) => users.has(directory) || makeDirectory(directory));
  for (const directory of made) users.set(directory, (users.get(directory) ?? 0) + 1);
  return () => {
    for (const directory of made.splice(0)) {
      const left = (users.get(directory) ?? 1) - 1;
      if (left > 0) users.set(directory, left);
      else {
        users.delete(directory);
        removeEmpty(directory);
      }
    }
  };
}

function makeDirectory(directory: string): boolean {
  if (statSync(directory, { throwIfNoEntry: false }) !== undefined) return false;
  try {
    mkdirSync(directory);
    return true;
  } catch {
    // A broken link, or a workspace where we may not write.
    return false;
  }
}

/** In another host's sandbox it is closed only as long as it exists. */
function removeEmpty(directory: string): void {
  try {
    if (!isMountedElsewhere(directory)) rmdirSync(directory);
  } catch {
    // Something was put there meanwhile, so it stays.
  }
}

function isMountedElsewhere(directory: string): boolean {
  const point = ` ${directory.replace(/[\s\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`)} `;
  const pids = process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.some((pid) => readProc(pid, "comm") === "bwrap\n" && readProc(pid, "mountinfo").includes(point));
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    // It has exited, or belongs to another user.
    return "";
  }
}
