/** Access of one program by path, from its driver's request; the same on every system. */
import path from "node:path";
import { lstatSync, renameSync } from "node:fs";
import { checkoutDirectories } from "../../kit/files/checkout-directories.ts";
import { AccessMap, realPath, type Mount } from "./access-map.ts";
import type { UserEnvironment } from "./agent-directories.ts";
import { makeProjectFiles, setAgentPaths } from "./agent-paths.ts";
import { setHiddenPaths, setSockets } from "./hidden-paths.ts";
import type { SandboxRequest } from "./sandbox.ts";
import { setSystemPaths } from "./system-paths.ts";
import { checkoutRoot } from "../process/launch/checkout.ts";
import { gitDirectoriesOf } from "./git-directories.ts";
import { findGoverned } from "./governed/find-files.ts";
import { governedNames } from "./governed/is-governed.ts";
import { holdPlaceholders, type Placeholder } from "./placeholders.ts";

export interface Profile {
  readonly mounts: readonly Mount[];
  readonly env: Record<string, string>;
  /** Removes files and directories created for it. */
  readonly release: () => void;
}

export interface ProfileOptions extends UserEnvironment {
  readonly request: SandboxRequest;
  readonly program: string;
  /** Arguments that may be programs, where an interpreter runs one. */
  readonly scripts: readonly string[];
  /** Our own directories. */
  readonly own: readonly string[];
  readonly dataDir: string;
  /** Directory for temporary files of the program. */
  readonly temporary: string;
}

export function createProfile(options: ProfileOptions): Profile {
  const { request, home, env, program, scripts, own, dataDir, temporary } = options;
  const { agent, workspace, isWritable, settings, shown = [], denied = [] } = request;
  const access = new AccessMap();
  setSystemPaths(access, { temporary, env });
  access.set(home, "read");
  const giveBack = setWorkspace(access, request, dataDir);
  const removeProjectFiles = makeProjectFiles(agent, checkoutDirectories(realPath(workspace) ?? workspace));
  const releaseAgent = setAgentPaths(access, { agent, dataDir, home, env });
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
    releaseAgent();
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

/** Each is a mount that the start waits for. */
const CLOSED_MAX = 1_000;

/**
 * The workspace and its git directories: shown in every session; writable in a writable one, except for governed files.
 */
/** Returns a function that removes the directories that were created. */
function setWorkspace(access: AccessMap, { workspace, isWritable }: SandboxRequest, dataDir: string): () => void {
  const root = realPath(workspace) ?? workspace;
  const checkout = checkoutRoot(root);
  const { writable, closed } = gitDirectoriesOf(checkout ?? root);
  access.set(checkout ?? root, "read");
  for (const directory of writable) access.set(directory, isWritable ? "write" : "read");
  access.set(root, isWritable ? "write" : "read");
  if (!isWritable) return () => {};
  const removeMade = holdPlaceholders(placeholdersFor(root), dataDir);
  const release = (): void => {
    removeMade();
    for (const directory of writable) setAsidePlanted(directory);
  };
  for (const file of closed) access.close(file);
  for (const file of findGoverned(root, checkout).slice(0, CLOSED_MAX)) {
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

/** Missing directories that are made so that they can be closed. */
function placeholdersFor(root: string): Placeholder[] {
  return governedNames.filter(({ isMade }) => isMade).map(({ name }) => ({ file: path.join(root, name) }));
}
