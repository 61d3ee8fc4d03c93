/**
 * Finds lines by a literal text in the files given, or by a regular expression with git, which cannot be made to run
 * wild.
 */
import { printableLine } from "../../embedded/tools/printable.ts";
import { runGit } from "../../embedded/tools/git.ts";
import { createTextReader } from "../../embedded/tools/text-reader.ts";
import { ToolFault } from "./tool.ts";

export interface FileSearch {
  readonly root: string;
  readonly text: string;
  readonly isRegex: boolean;
  readonly ignoresCase: boolean;
  readonly signal: AbortSignal;
  readonly marker: string | undefined;
}

const HITS_MAX = 200;
const HITS_PER_FILE_MAX = 20;
const LINE_CHARS_MAX = 240;
const GIT_MS_MAX = 20_000;
const GIT_BYTES_MAX = 8 * 1024 * 1024;
const AT_ONCE = 12;
const GREP = ["grep", "-I", "-n", "--null", "--untracked", "--no-color", "-E"];

export async function searchFiles(paths: readonly string[], search: FileSearch): Promise<string> {
  const hits = search.isRegex ? await searchWithGit(paths, search) : await searchLiterally(paths, search);
  if (hits.length === 0) return "No line matches.";
  const more = hits.length > HITS_MAX ? ["… and more; narrow it with glob or a longer text."] : [];
  return [...hits.slice(0, HITS_MAX), ...more].join("\n");
}

async function searchLiterally(paths: readonly string[], search: FileSearch): Promise<string[]> {
  const reader = createTextReader(search.root);
  const fold = (text: string): string => (search.ignoresCase ? text.toLowerCase() : text);
  const wanted = fold(search.text);
  const found = new Map<number, string[]>();
  let next = 0;
  let count = 0;
  const work = async (): Promise<void> => {
    while (next < paths.length && count <= HITS_MAX) {
      search.signal.throwIfAborted();
      const at = next++;
      const path = paths[at] ?? "";
      const file = await reader.read(path);
      if (file.kind !== "text" || !fold(file.text).includes(wanted)) continue;
      const hits = linesWith(file.text, (line) => fold(line).includes(wanted)).map((hit) => describe(path, hit));
      found.set(at, hits);
      count += hits.length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return [...found].sort(([one], [other]) => one - other).flatMap(([, hits]) => hits);
}

function linesWith(text: string, isWanted: (line: string) => boolean): { line: number; text: string }[] {
  const hits: { line: number; text: string }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!isWanted(line)) continue;
    hits.push({ line: at + 1, text: line });
    if (hits.length === HITS_PER_FILE_MAX) break;
  }
  return hits;
}

async function searchWithGit(paths: readonly string[], search: FileSearch): Promise<string[]> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const end = await runGit({
    cwd: search.root,
    args: [...GREP, ...(search.ignoresCase ? ["-i"] : []), "-e", search.text, "--", "."],
    signal: search.signal,
    marker: search.marker,
    timeoutMs: GIT_MS_MAX,
    onOutput: (piece) => {
      bytes += piece.length;
      pieces.push(piece);
      return bytes < GIT_BYTES_MAX;
    },
  });
  search.signal.throwIfAborted();
  // No match and no repository are one and the same exit to us; a wrong answer would be worse than a cautious one.
  if (end === "absent" || (end === "failed" && bytes === 0)) {
    const why = end === "absent" ? "there is no git on this machine" : "nothing matches, or this is no git repository";
    if (end === "absent") throw new ToolFault("tool_error", `No regular expression can be searched: ${why}.`);
    return [`(${why}, or the expression is not a valid POSIX extended one)`];
  }
  const wanted = new Set(paths);
  return Buffer.concat(pieces)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => readHit(line, wanted));
}

/** `path NUL line NUL text`. */
function readHit(line: string, wanted: ReadonlySet<string>): string[] {
  const [path, number, ...rest] = line.split("\0");
  if (path === undefined || number === undefined || !wanted.has(path)) return [];
  return [describe(path, { line: Number(number), text: rest.join("\0") })];
}

function describe(path: string, { line, text }: { line: number; text: string }): string {
  const shown = printableLine(text.length > LINE_CHARS_MAX ? `${text.slice(0, LINE_CHARS_MAX)}…` : text);
  return `${printableLine(path)}:${line}: ${shown.replaceAll("\uFFFD", " ").trim()}`;
}
