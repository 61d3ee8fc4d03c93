/**
 * Turns a name that a model wrote into a place in the session's directory.
 * Promise: a place outside is refused, by name and through links, also where the file is not there yet.
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isInside } from "../../tools/inside.ts";
import { printableLine } from "../../tools/printable.ts";
import { ToolError } from "./tool.ts";

export interface ResolvedPath {
  /** From the root, with `/`, links resolved; "" is the root itself. */
  readonly path: string;
  readonly full: string;
}

const NAME_CHARS_MAX = 4_096;
const LEVELS_MAX = 256;

/** `root` must be a real path. */
export async function resolvePath(root: string, name: string): Promise<ResolvedPath> {
  if (name === "" || name.length > NAME_CHARS_MAX || name.includes("\0")) {
    throw new ToolError("tool_error", `A path of ${name.length} characters that cannot be one was given.`);
  }
  const full = resolve(root, name);
  if (!isInside(root, full)) throw outsideError(name);
  const real = await resolveLinks(full, name);
  if (!isInside(root, real)) throw outsideError(name);
  return { path: relative(root, real).split(sep).join("/"), full: real };
}

/** As `resolvePath`, for what will be written: never into a repository's own files, where hooks are. */
export async function resolveWritablePath(root: string, name: string): Promise<ResolvedPath> {
  const resolved = await resolvePath(root, name);
  if (resolved.path === "") throw new ToolError("tool_error", "The session's directory itself cannot be written.");
  if (resolved.path.split("/").some((part) => part.toLowerCase() === ".git")) {
    throw new ToolError("tool_denied", `${shown(name)} belongs to git and is not written by members.`);
  }
  return resolved;
}

/** The real path of the deepest part that exists, and the rest by name. */
async function resolveLinks(full: string, name: string): Promise<string> {
  const rest: string[] = [];
  let at = full;
  for (let level = 0; level < LEVELS_MAX; level++) {
    try {
      return join(await realpath(at), ...rest);
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT")
        throw new ToolError("tool_error", `${shown(name)} cannot be reached (${codeOf(thrown)}).`, { cause: thrown });
    }
    // A link to nowhere would be made real by writing to it, wherever it leads.
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
    // Nothing there, so no link either.
    return false;
  }
}

export function shown(name: string): string {
  const line = printableLine(name);
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

function outsideError(name: string): ToolError {
  return new ToolError(
    "tool_denied",
    `${shown(name)} leads out of the session's directory, which members do not leave.`,
  );
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown";
}
