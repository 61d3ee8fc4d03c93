/** What is open in a writable session: the workspace and its git directories, without what governs agents, git and editors. */
import { mkdirSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import { checkoutRoot } from "../process/checkout.ts";
import { realPath, type AccessMap } from "./access-map.ts";
import { gitDirectoriesOf } from "./git-directories.ts";
import { findGoverned } from "./find-governed.ts";
import { governedNames } from "./governed-files.ts";

/** Returns what gives back the directories that were made. */
export function setWorkspace(access: AccessMap, workspace: string): () => void {
  const root = realPath(workspace) ?? workspace;
  access.set(root, "write");
  const release = makeGoverned(root);
  const checkout = checkoutRoot(root);
  for (const file of findGoverned(root, checkout)) {
    if (path.basename(file) !== ".git") access.set(file, "read");
    else setGit(access, path.dirname(file));
  }
  if (checkout !== undefined && checkout !== root) setGit(access, checkout);
  return release;
}

function setGit(access: AccessMap, repository: string): void {
  const { writable, closed } = gitDirectoriesOf(repository);
  for (const directory of writable) access.set(directory, "write");
  for (const file of closed) {
    const real = realPath(file);
    if (real !== undefined && access.accessOf(real) === "write") access.set(real, "read");
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

function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Somebody has put something there meanwhile, so it stays.
  }
}
