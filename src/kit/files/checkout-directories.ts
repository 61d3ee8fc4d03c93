/**
 * Directories of one project: the working directory and, inside a git checkout, its parents up to the root of the
 * checkout. Outside a checkout no parent counts, so that a file in /tmp does not configure everybody's projects.
 */

import { dirname, join } from "node:path";
import { existsSync, lstatSync } from "node:fs";

/** Innermost first. */
export function checkoutDirectories(cwd: string): string[] {
  const above: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    above.push(directory);
    if (hasGit(directory)) return above;
    if (dirname(directory) === directory) return [cwd];
  }
}

/**
 * Whether the directory is the root of a git checkout. A `.git` file points to the real git directory. A `.git`
 * directory without HEAD does not count: sandboxes leave empty ones in shared directories, which would make all of /tmp
 * one project.
 */
export function hasGit(directory: string): boolean {
  const gitPath = join(directory, ".git");
  const isDirectory = lstatSync(gitPath, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory === undefined ? false : !isDirectory || existsSync(join(gitPath, "HEAD"));
}
