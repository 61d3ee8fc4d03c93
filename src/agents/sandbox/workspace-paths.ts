/**
 * The workspace and its git directories: seen in every session; open in a writable one, without what governs agents, git
 * and editors.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import { checkoutRoot } from "../process/launch/checkout.ts";
import { realPath, type AccessMap } from "./access-map.ts";
import { gitDirectoriesOf } from "./git-directories.ts";
import { findGoverned } from "./governed/find-files.ts";
import { governedNames } from "./governed/is-governed.ts";

/** Returns what gives back the directories that were made. */
export function setWorkspace(access: AccessMap, workspace: string, isWritable: boolean): () => void {
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
 * A repository that is no linked worktree has no `commondir`: with one, git would take its hooks and configuration from
 * wherever that says. It cannot be closed while it is not there.
 */
function setAsidePlanted(directory: string): void {
  const file = path.join(directory, "commondir");
  if (path.basename(path.dirname(directory)) === "worktrees") return;
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) renameSync(file, `${file}.replaced-${Date.now()}`);
  } catch {
    // Somebody else was faster.
  }
}

/** How many sandboxes need a directory that was made; one that is removed is no longer closed for any of them. */
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
    // A broken link, or a workspace that is not ours to write in.
    return false;
  }
}

/** Of another host's sandbox it is closed only as long as it is there. */
function removeEmpty(directory: string): void {
  try {
    if (!isMountedElsewhere(directory)) rmdirSync(directory);
  } catch {
    // Somebody has put something there meanwhile, so it stays.
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
    // It has ended, or is somebody else's.
    return "";
  }
}
