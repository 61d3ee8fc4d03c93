/**
 * Whether a path is one that a pattern of a rule means, whatever it is called: case, normal forms of letters, marks that
 * are not seen, links on either side, and other names of the same file.
 */
import { statSync } from "node:fs";
import path from "node:path";
import { matchesGlob } from "../tools/glob-match.ts";
import { namesOfPath, withHome } from "./real-path.ts";

/** "below": in a directory that is meant; "above": a directory in which something is meant. */
export type PathMatch = "same" | "below" | "above" | null;

const WILD = /[*?[\\]/;

/** As file systems that do not tell letters apart compare names. */
function foldedName(name: string): string {
  const plain = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").normalize("NFC");
  return plain.toUpperCase().toLowerCase().normalize("NFC");
}

export class PathPattern {
  readonly #globs: readonly (readonly string[])[];
  readonly #file: string | null;

  /** `cwd` is undefined where nobody knows it; then names are compared as they stand. */
  constructor(match: string, cwd: string | undefined) {
    const written = withHome(match);
    const isLiteral = !WILD.test(written);
    const names = cwd === undefined || !isLiteral ? [written] : [written, ...namesOfPath(cwd, written)];
    this.#globs = [...new Set(names.map((name) => foldedName(tidied(name))))].map((name) => name.split("/"));
    this.#file = isLiteral && cwd !== undefined ? path.resolve(cwd, written) : null;
  }

  /** `names` are all that one path has. */
  match(names: readonly string[], file?: string): PathMatch {
    const paths = names.map((name) => foldedName(tidied(name)).split("/"));
    const is = (glob: readonly string[], segments: readonly string[]) => matchesGlob(glob, segments);
    const any = (test: (glob: readonly string[], segments: readonly string[]) => boolean) =>
      this.#globs.some((glob) => paths.some((segments) => test(glob, segments)));
    if (any(is) || (file !== undefined && this.#isSameFile(file))) return "same";
    if (any((glob, segments) => matchesGlob([...glob, "**"], segments))) return "below";
    return any(isAbove) ? "above" : null;
  }

  /** For a path from a directory that is not known: whether its end may be the pattern's. */
  isNamed(name: string): boolean {
    const segments = foldedName(tidied(name)).split("/");
    const last = segments.at(-1) ?? "";
    return this.#globs.some((glob) => {
      const end = glob.findLast((one) => one !== "**") ?? "**";
      const isEnd = end !== "*" && end !== "**" && matchesGlob([end], [last]);
      return isEnd || segments.some((_part, at) => matchesGlob([...glob, "**"], segments.slice(at)));
    });
  }

  /** Whether everything in some directory is meant, so that a path from one that is not known may be. */
  get isOpen(): boolean {
    return this.#globs.some((glob) => glob.at(-1) === "**" || glob.at(-1) === "*");
  }

  /** By another name, made by `ln`. */
  #isSameFile(file: string): boolean {
    if (this.#file === null) return false;
    try {
      const one = statSync(this.#file, { throwIfNoEntry: false });
      const other = one === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
      return (
        one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev && one.ino !== 0
      );
    } catch {
      // Not readable for us, so it has no name that leads there.
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

/** `./a//b/../c` is `a/c`. */
function tidied(name: string): string {
  const tidy = path.posix.normalize(process.platform === "win32" ? name.replaceAll("\\", "/") : name);
  return tidy === "." ? "" : tidy.replace(/(?<=.)\/$/, "");
}
