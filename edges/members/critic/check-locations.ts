/** Checks places that members named: whether the file exists, is that long, and says what they claim. */
import { definitionOf } from "../search/definition.ts";
import { counted, inlineCode, reference } from "../markdown.ts";
import { type FileText, printable, type TextReader } from "../../../src/agents/index.ts";
import { resolveReference } from "../search/references.ts";
import type { LocationClaim } from "./claims.ts";
import { formatList, plural } from "../../../src/kit/text/format.ts";

export interface Verdict {
  /** `wrong`: the files say otherwise. `unproven`: the files do not say. */
  kind: "holds" | "wrong" | "unproven";
  /** One sentence in Markdown, without the member's name. */
  sentence: string;
  /** The file, if there is one. */
  path: string | undefined;
}

export interface Files {
  paths: readonly string[];
  root: string;
  reader: TextReader;
}

/** A match this close to the line counts: a comment above, the rest of a statement below. */
const NEAR_LINES = 3;
/** A name may be further down in the block that the line starts. */
const BODY_LINES = 15;
const QUOTED_CHARS_MIN = 4;
const SEVERAL_MAX = 5;

export async function checkLocation(claim: LocationClaim, files: Files): Promise<Verdict> {
  const { path, line } = claim.reference;
  const named = reference(path, line);
  const resolved = resolveReference(path, files);
  if (resolved.kind === "directory") return holds(undefined);
  if (resolved.kind === "outside") return unproven(`${named} is outside this directory, so I did not check it`);
  if (resolved.kind === "none") return checkUnlisted(claim, files);
  if (resolved.kind === "file") return checkFile(claim, resolved.path, await files.reader.read(resolved.path));
  const verdicts = await Promise.all(
    resolved.paths.slice(0, SEVERAL_MAX).map(async (one) => checkFile(claim, one, await files.reader.read(one))),
  );
  const good = verdicts.find((verdict) => verdict.kind === "holds");
  if (good !== undefined) return { ...good, path: undefined };
  return unproven(
    `${named} matches none of the files it could mean: ${formatList(resolved.paths.slice(0, SEVERAL_MAX).map(inlineCode))}`,
  );
}

/** An ignored or hidden file: only its length is checked, and its content is not shown. */
async function checkUnlisted({ reference: { path, line } }: LocationClaim, { paths, reader }: Files): Promise<Verdict> {
  const file = await reader.read(path.replace(/^(?:\.\/)+/, ""));
  if (file.kind === "binary" || file.kind === "huge") return holds(undefined);
  if (file.kind === "text") {
    const count = linesOf(file.text).length;
    return line !== undefined && line > count
      ? wrong(`${reference(path, line)}: the file has only ${counted(count, "line")}`, undefined)
      : holds(undefined);
  }
  const base = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const alike = paths.filter((one) => one.slice(one.lastIndexOf("/") + 1).toLowerCase() === base);
  const hint = alike.length === 0 ? "" : `; there is ${formatList(alike.slice(0, 2).map(inlineCode))}`;
  return wrong(`${reference(path, line)}: there is no such file${hint}`, undefined);
}

function checkFile(claim: LocationClaim, path: string, file: FileText): Verdict {
  if (file.kind === "unreadable")
    return wrong(`${inlineCode(path)} cannot be read: it was deleted, or access is denied`, path);
  if (file.kind !== "text") return holds(path);
  const lines = linesOf(file.text);
  const { reference: named, lineCount } = claim;
  if (lineCount !== undefined && lineCount !== lines.length) {
    return wrong(`${inlineCode(path)} has ${plural(lines.length, "line")}, not ${lineCount}`, path);
  }
  const last = named.lastLine ?? named.line;
  if (last !== undefined && last > lines.length) {
    const shown = reference(path, named.line);
    return wrong(`${shown}: the file has only ${counted(lines.length, "line")}`, path);
  }
  return (
    checkDefinition(claim, path, lines) ??
    checkSnippets(claim, path, lines) ??
    checkQuoted(claim, path, lines) ??
    holds(path)
  );
}

function checkDefinition(
  { defines, reference: { line } }: LocationClaim,
  path: string,
  lines: readonly string[],
): Verdict | undefined {
  if (defines === undefined) return undefined;
  const at = lines.flatMap((text, index) => (definitionOf(text, path)?.name === defines ? [index + 1] : []));
  const [first] = at;
  const name = inlineCode(defines);
  if (line !== undefined && at.some((one) => Math.abs(one - line) <= NEAR_LINES)) return undefined;
  if (first !== undefined) {
    return line === undefined
      ? undefined
      : wrong(
          `${reference(path, line)}: ${name} is not defined there but on line ${formatList(at.slice(0, 3).map(String))}`,
          path,
        );
  }
  // An unknown kind of definition proves nothing, but a name missing from the file does.
  if (lines.some((text) => hasCode(text, defines))) return undefined;
  return wrong(`${reference(path, line)}: ${name} is not defined there; the file does not contain that name`, path);
}

function checkSnippets(
  { snippets, reference: { line, lastLine } }: LocationClaim,
  path: string,
  lines: readonly string[],
): Verdict | undefined {
  if (line === undefined) return undefined;
  for (const span of snippets) {
    const code = span.replace(/\(\)$/, "");
    const first = Math.max(0, line - 1 - NEAR_LINES);
    const near = lines.slice(first, (lastLine ?? line) + BODY_LINES);
    if (near.some((text) => hasCode(text, code))) continue;
    const elsewhere = lines.flatMap((text, index) => (hasCode(text, code) ? [index + 1] : []));
    const where =
      elsewhere.length === 0
        ? "the file does not contain it"
        : `it is on line ${formatList(elsewhere.slice(0, 3).map(String))}`;
    return wrong(`${reference(path, line)}: ${inlineCode(span)} is not there; ${where}`, path);
  }
  return undefined;
}

function checkQuoted(
  { quoted, reference: { line } }: LocationClaim,
  path: string,
  lines: readonly string[],
): Verdict | undefined {
  const wanted = quoted
    .map(normal)
    .filter((text) => text.length >= QUOTED_CHARS_MIN && !/^(?:\/\/|#|\/\*)?\s*(?:…|\.\.\.)/.test(text));
  if (wanted.length === 0) return undefined;
  const whole = lines.map(normal);
  const known = new Set(whole);
  const strange = wanted.filter((text) => !known.has(text) && !whole.some((one) => isCutOf(text, one)));
  const [first] = strange;
  if (first === undefined) return undefined;
  const which =
    strange.length === wanted.length
      ? "none of the quoted lines is"
      : `${strange.length} of ${wanted.length} quoted lines ${strange.length === 1 ? "is" : "are"} not`;
  return wrong(`${reference(path, line)}: ${which} in the file, for example ${inlineCode(first.slice(0, 100))}`, path);
}

/** A truncated line ends with an ellipsis. */
function isCutOf(text: string, line: string): boolean {
  const cut = /^(.{10,}?)\s*(?:…|\.\.\.)$/.exec(text)?.[1];
  return cut !== undefined && line.startsWith(cut);
}

function hasCode(line: string, code: string): boolean {
  const wanted = normal(code).replace(/\s*…$/, "");
  const text = normal(line);
  if (text.includes(wanted)) return true;
  // `Lock.release` is a method of a class in the file.
  const own = /^[\w$#]+(?:\.[\w$#]+)*\.([\w$#]+)$/.exec(wanted)?.[1];
  return own !== undefined && text.includes(own);
}

function normal(text: string): string {
  return printable(text).replace(/\s+/g, " ").trim();
}

function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function holds(path: string | undefined): Verdict {
  return { kind: "holds", sentence: "", path };
}

function wrong(sentence: string, path: string | undefined): Verdict {
  return { kind: "wrong", sentence: `${sentence}.`, path };
}

function unproven(sentence: string): Verdict {
  return { kind: "unproven", sentence: `${sentence}.`, path: undefined };
}
