/**
 * Whether a path matches a rule's pattern under any of its names: case, Unicode normalisation, invisible characters,
 * links on either side, hard links.
 */
import { lstatSync, readdirSync, statSync, type Stats } from "node:fs";
import path from "node:path";
import { expandPattern } from "../sandbox/denied-paths.ts";
import { matchesGlob } from "../tools/glob-match.ts";
import { namesOfPath, withHome } from "./real-path.ts";

/** "below": inside a matching directory; "above": a directory that contains a match. */
export type PathMatch = "same" | "below" | "above" | undefined;

const WILD = /[*?[\\]/;

/** As case-insensitive file systems compare names. */
function foldedName(name: string): string {
  const plain = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFC");
  return plain.toUpperCase().toLowerCase().normalize("NFC");
}

export class PathPattern {
  readonly #globs: readonly (readonly string[])[];
  readonly #written: string;
  readonly #cwd: string | undefined;

  /** `cwd` is undefined when unknown; then names are compared as written. */
  constructor(match: string, cwd: string | undefined) {
    const written = withHome(match);
    const names = cwd === undefined ? [written] : [written, ...otherNames(cwd, written)];
    this.#globs = [...new Set(names.map((name) => foldedName(tidied(name))))].map((name) => name.split("/"));
    this.#written = written;
    this.#cwd = cwd;
  }

  /** `names` are all names of one path. */
  match(names: readonly string[], file?: string): PathMatch {
    const paths = names.map((name) => foldedName(tidied(name)).split("/"));
    const is = (glob: readonly string[], segments: readonly string[]) => matchesGlob(glob, segments);
    const any = (test: (glob: readonly string[], segments: readonly string[]) => boolean) =>
      this.#globs.some((glob) => paths.some((segments) => test(glob, segments)));
    if (any(is) || (file !== undefined && this.#isSameFile(file))) return "same";
    if (any((glob, segments) => matchesGlob([...glob, "**"], segments))) return "below";
    return any(isAbove) ? "above" : undefined;
  }

  /** For a path relative to an unknown directory: whether its end may match. */
  isNamed(name: string): boolean {
    const segments = foldedName(tidied(name)).split("/");
    const last = segments.at(-1) ?? "";
    return this.#globs.some((glob) => {
      const end = glob.findLast((one) => one !== "**") ?? "**";
      const isEnd = end !== "*" && end !== "**" && matchesGlob([end], [last]);
      return isEnd || segments.some((_part, at) => matchesGlob([...glob, "**"], segments.slice(at)));
    });
  }

  /** Whether the pattern covers everything in some directory, so that a path relative to an unknown one may match. */
  get isOpen(): boolean {
    return this.#globs.some((glob) => glob.at(-1) === "**" || glob.at(-1) === "*");
  }

  /** For a name with wildcards that the program itself expands: whether a denied one may be among them. */
  mayBeAmong(name: string): boolean {
    const glob = foldedName(tidied(name)).replaceAll("**/", "*");
    const [start, end] = [/^[^*?[\\]*/.exec(glob)?.[0] ?? "", /[^*?\]\\]*$/.exec(glob)?.[0] ?? ""];
    return this.#globs.some((segments) => {
      const own = segments.join("/");
      if (!WILD.test(own)) return [own, segments.at(-1) ?? ""].some((one) => matchesGlob([glob], [one]));
      const [ownStart, ownEnd] = [/^[^*?[\\]*/.exec(own)?.[0] ?? "", /[^*?\]\\]*$/.exec(own)?.[0] ?? ""];
      const fits = (test: "startsWith" | "endsWith", one: string, other: string) =>
        one[test](other) || other[test](one);
      return fits("startsWith", start, ownStart) && fits("endsWith", end, ownEnd);
    });
  }

  /** Another name of a denied file, by a hard link. */
  #isSameFile(file: string): boolean {
    const stats = statsOf(file);
    if (this.#cwd === undefined || stats === undefined || !stats.isFile() || stats.nlink < 2 || stats.ino === 0) {
      return false;
    }
    return holdsFile(expandPattern(this.#written, this.#cwd), stats);
  }
}

/**
 * The same pattern through the links in its directories, and from the root; for a pattern without wildcards all names of
 * its path.
 */
function otherNames(cwd: string, pattern: string): string[] {
  const segments = pattern.split("/");
  const wild = segments.findIndex((segment) => WILD.test(segment));
  if (wild === -1) return namesOfPath(cwd, pattern);
  const [head, rest] = [segments.slice(0, wild).join("/"), segments.slice(wild).join("/")];
  return head === "" ? [] : namesOfPath(cwd, head).map((name) => (name === "" ? rest : `${name}/${rest}`));
}

const ENTRIES_MAX = 20_000;

/** Whether a file is one of these, or below one. Beyond the limit it may be. */
function holdsFile(paths: readonly string[], { ino, dev }: Stats): boolean {
  const queue = [...paths];
  for (let at = 0; at < queue.length; at += 1) {
    if (at >= ENTRIES_MAX) return true;
    const one = queue[at] as string;
    const stats = at < paths.length ? statsOf(one) : linkStatsOf(one);
    if (stats?.ino === ino && stats.dev === dev) return true;
    if (stats?.isDirectory() === true) queue.push(...namesIn(one).map((name) => path.join(one, name)));
  }
  return false;
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    // Not readable: no such name.
    return undefined;
  }
}

function linkStatsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // Gone, or not readable.
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Gone, or not readable.
    return [];
  }
}

function isAbove(glob: readonly string[], segments: readonly string[]): boolean {
  const shown = segments.length === 1 && segments[0] === "" ? [] : segments;
  if (glob[0] === "**") return true;
  return (
    shown.length < glob.length && shown.every((part, at) => glob[at] === "**" || matchesGlob([glob[at] ?? ""], [part]))
  );
}

/** `./a//b/../c` becomes `a/c`. */
function tidied(name: string): string {
  const tidy = path.posix.normalize(process.platform === "win32" ? name.replaceAll("\\", "/") : name);
  return tidy === "." ? "" : tidy.replace(/(?<=.)\/$/, "");
}
