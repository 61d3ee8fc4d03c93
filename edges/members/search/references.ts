/**
 * Finds references to files and lines in a text, and resolves them.
 * Names are only compared with known paths; one that leads out of the directory is not resolved.
 */
import { isAbsolute, relative, sep } from "node:path";
import { isInside } from "../../../src/agents/index.ts";

export interface Reference {
  /** As written, with `/`. */
  path: string;
  /** From 1; undefined when only the file is named. */
  line: number | undefined;
  lastLine: number | undefined;
  /** Offset in the text. */
  start: number;
  end: number;
}

export type Resolved =
  | { kind: "file"; path: string }
  /** Several files match. */
  | { kind: "several"; paths: readonly string[] }
  | { kind: "directory"; path: string }
  | { kind: "none" }
  | { kind: "outside" };

const TEXT_CHARS_MAX = 100_000;
export const REFERENCES_MAX = 200;
const LINE_MAX = 9_999_999;

/** A file name with an extension, optionally with directories and a line: `src/a.ts:12-20`, `a.ts#L12`. */
const NAMED =
  /(?<![\w/.@:\\-])((?:~?\/|\.{1,2}\/|[A-Za-z]:\\)?(?:(?:[\w@+$.-]|\[[\w.]+\]|\([\w.]+\))+\/)*[\w@+$-][\w@+$.-]*\.[A-Za-z][A-Za-z0-9]{0,9}|(?:[\w@+.-]+\/)*(?:Makefile|Dockerfile|Rakefile|Gemfile|LICENSE|README))(?![\w/(])(?::(\d{1,7})(?::\d{1,5})?(?:[-–](\d{1,7}))?|#L(\d{1,7})(?:-L?(\d{1,7}))?|`?,? \(?(?:on |at )?lines? (\d{1,7})(?:(?:[-–]| to )(\d{1,7}))?)?/g;
/** "line 12 of src/a.ts" */
const LINE_BEFORE = /\blines? (\d{1,7})(?:(?:[-–]| to )(\d{1,7}))? (?:of|in) [`"(]*$/i;
const ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s)>\]`"']+/gi;

/** Without a directory or a line, only these extensions make a file: `turn.text` and `e.g` are none. */
const ENDINGS = new Set(
  `ts tsx mts cts js jsx mjs cjs json jsonc md mdx py pyi rb rs go java kt kts swift c h cc cpp hpp cs php scala sh bash zsh fish ps1
  html css scss less vue svelte sql toml yaml yml ini cfg conf lock xml svg proto graphql tf gradle lua pl ex exs erl hs ml clj
  dart r jl zig nix env txt rst csv ipynb patch diff snap`.split(/\s+/),
);
const DOMAINS = new Set(["com", "org", "net", "io", "dev", "ai", "app", "gov", "edu"]);

export function findReferences(text: string): Reference[] {
  // Same length, so that offsets stay valid.
  const bare = text.slice(0, TEXT_CHARS_MAX).replace(ADDRESS, (address) => " ".repeat(address.length));
  const references: Reference[] = [];
  for (const match of bare.matchAll(NAMED)) {
    const [whole, path = ""] = match;
    const before = LINE_BEFORE.exec(bare.slice(Math.max(0, match.index - 40), match.index));
    const line = toLine(match[2] ?? match[4] ?? match[6] ?? before?.[1]);
    if (!isFileName(path, line)) continue;
    const lastLine = toLine(match[3] ?? match[5] ?? match[7] ?? before?.[2]);
    references.push({
      path: path.replaceAll("\\", "/"),
      line,
      lastLine: line === undefined ? undefined : lastLine,
      start: match.index,
      end: match.index + whole.length,
    });
    if (references.length === REFERENCES_MAX) break;
  }
  return references;
}

const PLAIN_ROOT = /^[\w@+$.:/\\-]*$/;

/** Makes absolute paths below `root` relative, since a root with e.g. a space would not be recognised. */
export function seenFrom(root: string, text: string): string {
  return PLAIN_ROOT.test(root) ? text : text.replaceAll(`${root}${sep}`, "");
}

function toLine(digits: string | undefined): number | undefined {
  const line = Number(digits ?? 0);
  return line >= 1 && line <= LINE_MAX ? line : undefined;
}

/** `Node.js`, `Vue.js`: look like files and are mostly product names. */
export function isProductName(name: string): boolean {
  return /^[A-Z][A-Za-z0-9]*\.js$/.test(name);
}

function isFileName(path: string, line: number | undefined): boolean {
  if (line === undefined && isProductName(path)) return false;
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  if (ending === undefined) return true;
  if (ENDINGS.has(ending)) return true;
  return (path.includes("/") || line !== undefined) && !DOMAINS.has(ending);
}

/** `paths` are those that exist; `root` is the directory they are in, links resolved. */
export function resolveReference(name: string, { paths, root }: { paths: readonly string[]; root: string }): Resolved {
  const inside = withoutRoot(name, root);
  if (inside === undefined) return { kind: "outside" };
  if (paths.includes(inside)) return { kind: "file", path: inside };
  if (paths.some((path) => path.startsWith(`${inside}/`))) return { kind: "directory", path: inside };
  const lower = inside.toLowerCase();
  const ending = paths.filter((path) => path.toLowerCase() === lower || path.toLowerCase().endsWith(`/${lower}`));
  const [only] = ending;
  if (only === undefined) return { kind: "none" };
  return ending.length === 1 ? { kind: "file", path: only } : { kind: "several", paths: ending };
}

function withoutRoot(name: string, root: string): string | undefined {
  if (name.startsWith("~")) return undefined;
  if (isAbsolute(name))
    return isInside(root, name) && name !== root ? relative(root, name).split(sep).join("/") : undefined;
  const plain = name.replace(/^(?:\.\/)+/, "");
  return plain.split("/").includes("..") || /^[A-Za-z]:\//.test(plain) ? undefined : plain;
}
