/**
 * Resolves a name written by a model to a path in the session's directory.
 * Paths outside are rejected, by name and through links, also for files that do not exist yet.
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isGitName } from "../../sandbox/governed/is-governed.ts";
import { isInside } from "../../tools/inside.ts";
import { printableLine } from "../../tools/printable.ts";
import { ToolError } from "./tool.ts";

export interface ResolvedPath {
  /** Relative to the root, with `/`, links resolved; "" is the root. */
  readonly path: string;
  readonly full: string;
}

const NAME_CHARS_MAX = 4_096;
const LEVELS_MAX = 256;

/** `root` must be a real path. */
export async function resolvePath(root: string, name: string): Promise<ResolvedPath> {
  if (name === "" || name.length > NAME_CHARS_MAX || name.includes("\0")) {
    throw new ToolError("tool_error", `Invalid path of ${name.length} characters.`);
  }
  const full = resolve(root, name);
  if (!isInside(root, full)) throw outsideError(name);
  const real = await resolveLinks(full, name);
  if (!isInside(root, real)) throw outsideError(name);
  return { path: relative(root, real).split(sep).join("/"), full: real };
}

/** Like `resolvePath`, for writing: rejects a repository's own files, which include hooks. */
export async function resolveWritablePath(root: string, name: string): Promise<ResolvedPath> {
  const resolved = await resolvePath(root, name);
  if (resolved.path === "") throw new ToolError("tool_error", "The working directory itself cannot be written.");
  if (resolved.path.split("/").some(isGitName)) {
    throw new ToolError("tool_denied", `${shown(name)} belongs to git; members must not write it.`);
  }
  return resolved;
}

/** Real path of the deepest existing part, plus the rest by name. */
async function resolveLinks(full: string, name: string): Promise<string> {
  const rest: string[] = [];
  let at = full;
  for (let level = 0; level < LEVELS_MAX; level++) {
    try {
      return join(await realpath(at), ...rest);
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT")
        throw new ToolError("tool_error", `${shown(name)} cannot be accessed (${codeOf(thrown)}).`, { cause: thrown });
    }
    // Writing through a dangling link would create its target, wherever that is.
    if (await isLink(at)) throw outsideError(name);
    rest.unshift(basename(at));
    at = dirname(at);
  }
  throw outsideError(name);
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    // Does not exist, so it is not a link.
    return false;
  }
}

export function shown(name: string): string {
  const line = printableLine(name);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function outsideError(name: string): ToolError {
  return new ToolError("tool_denied", `${shown(name)} is outside the working directory, which members cannot access.`);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
}
