/**
 * Whether a path matches a rule's pattern under any of its names: case, Unicode normalisation, invisible characters,
 * links on either side, hard links.
 */
import { statSync } from "node:fs";
import path from "node:path";
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
  readonly #file: string | undefined;

  /** `cwd` is undefined when unknown; then names are compared as written. */
  constructor(match: string, cwd: string | undefined) {
    const written = withHome(match);
    const isLiteral = !WILD.test(written);
    const names = cwd === undefined || !isLiteral ? [written] : [written, ...namesOfPath(cwd, written)];
    this.#globs = [...new Set(names.map((name) => foldedName(tidied(name))))].map((name) => name.split("/"));
    this.#file = isLiteral && cwd !== undefined ? path.resolve(cwd, written) : undefined;
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

  /** A hard link. */
  #isSameFile(file: string): boolean {
    if (this.#file === undefined) return false;
    try {
      const one = statSync(this.#file, { throwIfNoEntry: false });
      const other = one === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
      return (
        one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev && one.ino !== 0
      );
    } catch {
      // Not readable: no such name.
      return false;
    }
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
