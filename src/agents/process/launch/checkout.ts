/**
 * Which files belong to the checkout that a session is about: programs are never taken from there because of PATH, since
 * a repository that was merely cloned would choose what runs (`node_modules/.bin`, as npx and direnv put it on PATH).
 */
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { checkoutDirectories, hasGit } from "../../../kit/files/checkout-directories.ts";
import { isInside } from "../../tools/inside.ts";

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

/**
 * Whether a file lies in the checkout around a directory, by its name, by a link of its folder or by a link of its own.
 * The checkouts around that one (of a submodule), and the one that a linked worktree was made from, count as well.
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

/** Of a linked worktree: the checkout it was made from. */
function mainTreeOf(root: string): string | undefined {
  const text = readPointer(path.join(root, ".git"));
  const [, common] = /^gitdir: (.+)[/\\]\.git[/\\]worktrees[/\\][^/\\]+\s*$/.exec(text) ?? [];
  const main = common === undefined ? undefined : realPath(path.resolve(root, common));
  return main !== undefined && hasGit(main) ? main : undefined;
}

function readPointer(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // A directory, or nothing: it points nowhere.
    return "";
  }
}

/**
 * A PATH in which what lies in the checkout comes last, so that it gives no program that is also elsewhere: agents look
 * for git and for their own interpreter there. Relative entries mean the checkout too.
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

/** What is not there, or not for us to look at, is where it says it is. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Then nothing can be run from there either.
    return path.resolve(file);
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The same variables with such a PATH. */
export function withCheckoutLast(variables: Variables, cwd: string): Variables {
  const PATH = pathWithCheckoutLast(variables["PATH"], cwd);
  return PATH === undefined ? variables : { ...variables, PATH };
}
