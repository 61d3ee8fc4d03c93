/**
 * Which files belong to the checkout that a session is about: programs are never taken from there because of PATH, since
 * a repository that was merely cloned would choose what runs (`node_modules/.bin`, as npx and direnv put it on PATH).
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { checkoutDirectories } from "../../kit/checkout-directories.ts";
import { isInside } from "../embedded/tools/inside.ts";

/**
 * The root of the checkout around a directory, or the directory itself outside of one. Undefined when the home directory
 * lies in it: what a user has installed there is the user's own.
 */
export function checkoutRoot(cwd: string, home: string = homedir()): string | undefined {
  const real = realPath(cwd);
  const directories = checkoutDirectories(real);
  const homePath = realPath(home);
  return directories.toReversed().find((directory) => !isInside(directory, homePath));
}

/** Whether the file lies there, by its name, by a link of its folder or by a link of its own. */
export function isFromCheckout(root: string | undefined, file: string): boolean {
  if (root === undefined) return false;
  const places = [file, path.join(realPath(path.dirname(file)), path.basename(file)), realPath(file)];
  return places.some((place) => isInside(root, place));
}

/** What is not there, or not for us to look at, is where it says it is. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Then nothing can be run from there either.
    return path.resolve(file);
  }
}
