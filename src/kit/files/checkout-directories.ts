/**
 * The directories that belong to the same project: a working directory and, inside a git checkout, those above it up to
 * the checkout's root. Outside a checkout nothing above is looked at, so a file in a shared directory such as /tmp is
 * nobody's project.
 */
import { dirname } from "node:path";
import { hasGit } from "./git-directory.ts";

/** From the working directory up. */
export function checkoutDirectories(cwd: string): string[] {
  const above: string[] = [];
  for (let directory = cwd; ; directory = dirname(directory)) {
    above.push(directory);
    if (hasGit(directory)) return above;
    if (dirname(directory) === directory) return [cwd];
  }
}
