/** Where a newcomer starts reading: documents, entry point, the most used file. Pure. */
import { definitionOf } from "../search/definition.ts";

/** The first that exists counts. */
const DOCUMENTS = [
  /^(?:docs?\/)?architecture\.(?:md|rst|adoc|txt)$/i,
  /(?:^|\/)architecture\.(?:md|rst|adoc|txt)$/i,
  /^(?:docs?\/)?(?:design|internals|overview|hacking|development)\.(?:md|rst|adoc|txt)$/i,
  /^docs?\/(?:readme|index)\.(?:md|rst|adoc|txt)$/i,
  /^(?:\.github\/|docs?\/)?contributing\.(?:md|rst|adoc|txt)$/i,
];

const SOURCE = "(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|swift|c|cc|cpp|cs|php|ex|zig)";
const ENTRIES = [
  new RegExp(`^(?:src/|source/|lib/|app/)?main\\.${SOURCE}$`, "i"),
  new RegExp(`^(?:src/|source/|lib/)?(?:cli|bin|app|cmd)/(?:[\\w-]+/)?main\\.${SOURCE}$`, "i"),
  /^cmd\/[\w-]+\/main\.go$/,
  /^(?:src\/)?[\w-]+\/__main__\.py$/,
  /^(?:manage|app|main|cli)\.py$/,
];
const INDEXES = [new RegExp(`^(?:src/|source/|lib/)?(?:index|lib|mod|app|server)\\.${SOURCE}$`, "i")];

/** Headings where a document starts to be about the code. */
const CODE_MAP = /^#{1,4} .*\b(?:code map|map|structure|layout|directories|packages|modules)\b/i;

/** Tests, generators and examples are not what others depend on. */
const BESIDE =
  /(?:^|\/)(?:tests?|__tests__|spec|fixtures?|examples?|bench(?:marks?)?|vendor|node_modules|dist)\/|[._-](?:test|spec)\.[^/]+$/i;

export function documentAboutCode(paths: readonly string[]): string | undefined {
  return firstMatch(paths, DOCUMENTS);
}

/** `declared`: entry points of the manifest; build output is mapped to the source of the same name. */
export function entryPoint(paths: readonly string[], declared: readonly string[]): string | undefined {
  const own = paths.filter((path) => !BESIDE.test(path));
  const sources = declared.flatMap((name) => sourceOf(name, own));
  return firstMatch(own, ENTRIES) ?? sources[0] ?? firstMatch(own, INDEXES);
}

function sourceOf(name: string, paths: readonly string[]): string[] {
  const plain = name.replace(/^\.\//, "");
  if (paths.includes(plain)) return [plain];
  const stem = /([^/]+?)(?:\.d)?\.[a-z]+$/i.exec(plain)?.[1];
  if (stem === undefined) return [];
  const same = new RegExp(`^(?:src|source|lib)/(?:.*/)?${stem.replace(/[^\w-]/g, "\\$&")}\\.${SOURCE}$`, "i");
  return paths.filter((path) => same.test(path)).sort(byLength);
}

/** The line of its main function, else of its first top-level definition. */
export function entryLine(path: string, text: string): number | undefined {
  const definitions = text.split("\n").flatMap((line, index) => {
    const definition = /^\s/.test(line) ? undefined : definitionOf(line, path);
    return definition === undefined ? [] : [{ name: definition.name, line: index + 1 }];
  });
  const main = definitions.find(({ name }) => /^(?:main|run|start)$/i.test(name));
  return (main ?? definitions[0])?.line;
}

export function codeMapLine(text: string): number {
  return Math.max(1, text.split("\n").findIndex((line) => CODE_MAP.test(line)) + 1);
}

export interface MostImported {
  path: string;
  importers: number;
}

const IMPORTING = /\.(?:[cm]?[jt]sx?|py|rs)$/;
const JS_IMPORT = /(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'](\.{1,2}\/[^"'\n]+)["']/g;
const PY_IMPORT = /^\s*from\s+(\.*[\w.]*)\s+import\s+|^\s*import\s+([\w.]+)/gm;
const RS_IMPORT = /\buse\s+crate::([\w:]+)/g;

export function isImporting(path: string): boolean {
  return IMPORTING.test(path) && !BESIDE.test(path);
}

/** The most imported file; undefined when none is imported often. */
export function mostImported(files: ReadonlyMap<string, string>): MostImported | undefined {
  const counts = new Map<string, number>();
  for (const [path, text] of files) {
    const targets = new Set(importsOf(path, text).flatMap((names) => names.find((name) => files.has(name)) ?? []));
    targets.delete(path);
    for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([a, m], [b, n]) => n - m || byLength(a, b));
  return best === undefined || best[1] < 2 ? undefined : { path: best[0], importers: best[1] };
}

/** The files that each import can refer to. */
function importsOf(path: string, text: string): string[][] {
  const folder = path.split("/").slice(0, -1);
  if (path.endsWith(".py")) {
    return [...text.matchAll(PY_IMPORT)].map(([, from, whole]) => {
      const name = from ?? whole ?? "";
      const up = /^\.*/.exec(name)?.[0].length ?? 0;
      const base = up === 0 ? [] : folder.slice(0, folder.length - up + 1);
      return candidates([...base, ...name.slice(up).split(".")].join("/"), [".py", "/__init__.py"], up === 0);
    });
  }
  if (path.endsWith(".rs")) {
    return [...text.matchAll(RS_IMPORT)].map(([, name = ""]) => {
      const segments = name.split("::").filter((part) => part !== "");
      const ends = segments.map((_, index) => `src/${segments.slice(0, segments.length - index).join("/")}`);
      return ends.flatMap((end) => [`${end}.rs`, `${end}/mod.rs`]);
    });
  }
  return [...text.matchAll(JS_IMPORT)].map(([, name = ""]) => {
    const full = resolved(folder, name);
    const bare = full.replace(/\.[cm]?jsx?$/, "");
    return [full].concat(
      candidates(bare, [".ts", ".tsx", ".js", ".jsx", ".mts", "/index.ts", "/index.tsx", "/index.js"]),
    );
  });
}

function candidates(base: string, endings: readonly string[], isAlsoInSrc = false): string[] {
  const plain = endings.map((ending) => `${base}${ending}`);
  return isAlsoInSrc ? [...plain, ...plain.map((one) => `src/${one}`)] : plain;
}

function resolved(folder: readonly string[], name: string): string {
  const segments = [...folder];
  for (const part of name.split("/")) {
    if (part === "..") segments.pop();
    else if (part !== ".") segments.push(part);
  }
  return segments.join("/");
}

function firstMatch(paths: readonly string[], rules: readonly RegExp[]): string | undefined {
  for (const rule of rules) {
    const [best] = paths.filter((path) => rule.test(path)).sort(byLength);
    if (best !== undefined) return best;
  }
  return undefined;
}

function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}
