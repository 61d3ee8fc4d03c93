/** Real path of a name, and every name by which a rule may match it. */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { isInside } from "../tools/inside.ts";

const LINKS_MAX = 40;
const SEGMENTS_MAX = 512;

export interface RealPath {
  /** Relative to the directory, links resolved; absolute when outside. */
  readonly name: string;
  /** Same, links not resolved. */
  readonly written: string;
  /** Leads through a dangling link, which writing would create. */
  readonly isDangling: boolean;
}

/** Undefined when it cannot be resolved. */
export function realPath(cwd: string, name: string): RealPath | undefined {
  if (name === "" || name.includes("\0")) return undefined;
  try {
    const root = realpathSync(cwd);
    const resolved = walk(path.isAbsolute(name) ? name : `${cwd}${path.sep}${name}`);
    if (resolved === undefined) return undefined;
    const full = path.resolve(cwd, name);
    const written = nameFrom(isInside(root, full) ? root : cwd, full);
    return { name: nameFrom(root, resolved.name), written, isDangling: resolved.isDangling };
  } catch {
    // Not readable, so its target is unknown.
    return undefined;
  }
}

/** All names of a path: as written and resolved, relative and absolute. */
export function namesOfPath(cwd: string, name: string): string[] {
  const full = path.resolve(cwd, name);
  const real = realPath(cwd, name);
  const lexical = realPath(cwd, full);
  const absolute = [real, lexical].flatMap((one) => (one === undefined ? [] : [path.resolve(realRoot(cwd), one.name)]));
  const relative = [nameFrom(cwd, full), real?.name, lexical?.name].filter((one) => one !== undefined);
  return [...new Set([...relative, slashed(full), ...absolute.map(slashed)])];
}

export function withHome(name: string): string {
  return name === "~" || name.startsWith("~/") ? homedir() + name.slice(1) : name;
}

function realRoot(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return cwd;
  }
}

function nameFrom(root: string, full: string): string {
  return slashed(isInside(root, full) ? path.relative(root, full) : full);
}

function slashed(name: string): string {
  return name.split(path.sep).join("/");
}

/** Like the kernel: `..` after a link is the parent of its target. */
function walk(full: string): Pick<RealPath, "name" | "isDangling"> | undefined {
  const { root } = path.parse(full);
  const segments = full.slice(root.length).split(path.sep);
  let at = root;
  let links = 0;
  /** Number of upcoming parts that come from a link. */
  let ofLink = 0;
  let isDangling = false;
  for (let count = 0; segments.length > 0; count++) {
    if (count > SEGMENTS_MAX) return undefined;
    const part = segments.shift() ?? "";
    const isOfLink = ofLink-- > 0;
    const next = part === ".." ? path.dirname(at) : path.join(at, part);
    // Its content depends on the process that looks.
    if (next === "/proc" || next === "/dev/fd") return undefined;
    const isName = part !== "" && part !== "." && part !== "..";
    const stats = isName ? lstatSync(next, { throwIfNoEntry: false }) : undefined;
    if (stats?.isSymbolicLink() !== true) {
      at = next;
      isDangling ||= isName && stats === undefined && isOfLink;
      continue;
    }
    if (++links > LINKS_MAX) return undefined;
    const target = readlinkSync(next);
    if (path.isAbsolute(target)) at = path.parse(target).root;
    const more = target.split(path.sep);
    ofLink = Math.max(ofLink, 0) + more.length;
    segments.unshift(...more);
  }
  return { name: at, isDangling };
}
