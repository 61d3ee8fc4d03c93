/** Whether a directory is the top of a git checkout, as git itself sees it. */
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";

/**
 * A `.git` that is a file points to a checkout's real place. A directory without a HEAD is none: sandboxes leave empty ones
 * behind in shared directories, and with them everything below /tmp would be one project.
 */
export function hasGit(directory: string): boolean {
  const gitPath = join(directory, ".git");
  const isDirectory = lstatSync(gitPath, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory === undefined ? false : !isDirectory || existsSync(join(gitPath, "HEAD"));
}
