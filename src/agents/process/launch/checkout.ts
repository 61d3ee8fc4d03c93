/**
 * Tells which files belong to the checkout of a session. Programs are never resolved from there by PATH, since a cloned
 * repository could then choose what runs (`node_modules/.bin`, which npx and direnv put on PATH).
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { checkoutDirectories, hasGit } from "../../../kit/files/checkout-directories.ts";
import { readRegularFile } from "../../../kit/files/read-regular-file.ts";
import { isInside } from "../../tools/inside.ts";

/**
 * Root of the checkout around a directory, or the directory itself outside of one. Undefined when it contains the home
 * directory: what users install there is their own.
 */
export function checkoutRoot(cwd: string, home: string = homedir()): string | undefined {
  const real = realPath(cwd);
  const directories = checkoutDirectories(real);
  const homePath = realPath(home);
  return directories.toReversed().find((directory) => !isInside(directory, homePath));
}

/**
 * Tests whether a file lies in the checkout around a directory: by its path, by a link of its folder or by a link of
 * its own. Enclosing checkouts (of a submodule) and the origin of a linked worktree count too.
 */
export function checkoutTest(cwd: string, home: string = homedir()): (file: string) => boolean {
  const roots = allRoots(cwd, home);
  return (file) => {
    const paths = [file, path.join(realPath(path.dirname(file)), path.basename(file)), realPath(file)];
    return roots.some((root) => paths.some((candidate) => isInside(root, candidate)));
  };
}

function allRoots(cwd: string, home: string): string[] {
  const root = checkoutRoot(cwd, home);
  if (root === undefined) return [];
  const outerRoots: string[] = [];
  for (let above = path.dirname(root); path.dirname(above) !== above; above = path.dirname(above)) {
    if (hasGit(above)) outerRoots.push(above);
  }
  const origins = [root, ...outerRoots].flatMap((one) => mainTreeOf(one) ?? []);
  return [root, ...outerRoots, ...origins].filter((one) => !isInside(one, realPath(home)));
}

/** Main working tree of a linked worktree. */
function mainTreeOf(root: string): string | undefined {
  const text = readPointer(path.join(root, ".git"));
  const [, common] = /^gitdir: (.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+\s*$/.exec(text) ?? [];
  const main = common === undefined ? undefined : realPath(path.resolve(root, common));
  return main !== undefined && hasGit(main) ? main : undefined;
}

function readPointer(file: string): string {
  try {
    return readRegularFile(file).toString("utf8");
  } catch {
    // A directory or nothing: no pointer.
    return "";
  }
}

/**
 * PATH with the checkout's entries last, so that they never shadow a program installed elsewhere: agents resolve git
 * and their interpreter by it. Relative entries count as the checkout.
 */
function pathWithCheckoutLast(searched: string | undefined, cwd: string): string | undefined {
  if (searched === undefined || searched === "") return searched;
  const isInCheckout = checkoutTest(cwd);
  const isOurs = (folder: string) => path.isAbsolute(folder) && !isInCheckout(folder);
  const { first = [], last = [] } = Object.groupBy(searched.split(path.delimiter), (one) =>
    isOurs(one) ? "first" : "last",
  );
  return [...first, ...last].join(path.delimiter);
}

/** Falls back to the given path when it does not exist or is not accessible. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Nothing can be run from there either.
    return path.resolve(file);
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The same variables with PATH reordered by `pathWithCheckoutLast`. */
export function withCheckoutLast(variables: Variables, cwd: string): Variables {
  const PATH = pathWithCheckoutLast(variables["PATH"], cwd);
  return PATH === undefined ? variables : { ...variables, PATH };
}
