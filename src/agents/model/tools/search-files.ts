/**
 * Searches lines for a literal text, or with git for a regular expression, which cannot run away.
 * Omissions are always stated; otherwise a model would conclude that there is no match.
 */
import { printableLine } from "../../tools/printable.ts";
import { runGit, type GitEnd } from "../../tools/git.ts";
import { createTextReader, FILE_BYTES_MAX, type FileText } from "../../tools/text-reader.ts";
import { ToolError } from "./tool.ts";

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

interface SearchResult {
  readonly hits: readonly string[];
  /** What was left out, one sentence each. */
  readonly remarks: readonly string[];
}

export async function searchFiles(paths: readonly string[], search: FileSearch): Promise<string> {
  const { hits, remarks } = search.isRegex ? await searchWithGit(paths, search) : await searchLiterally(paths, search);
  const more = hits.length > HITS_MAX ? ["… and more; narrow it with glob or a longer text."] : [];
  const lines = hits.length === 0 ? ["No line matches."] : hits.slice(0, HITS_MAX);
  return [...lines, ...more, ...remarks].join("\n");
}

async function searchLiterally(paths: readonly string[], search: FileSearch): Promise<SearchResult> {
  const reader = createTextReader(search.root);
  const fold = (text: string): string => (search.ignoresCase ? text.toLowerCase() : text);
  const wanted = fold(search.text);
  const hitsByFile = new Map<number, string[]>();
  const unsearched = new Map<FileText["kind"], number>();
  let shortened = 0;
  let next = 0;
  let count = 0;
  const work = async (): Promise<void> => {
    while (next < paths.length && count <= HITS_MAX) {
      search.signal.throwIfAborted();
      const at = next++;
      const path = paths[at] ?? "";
      const file = await reader.read(path);
      if (file.kind !== "text") unsearched.set(file.kind, (unsearched.get(file.kind) ?? 0) + 1);
      if (file.kind !== "text" || !fold(file.text).includes(wanted)) continue;
      const lines = linesWith(file.text, (line) => fold(line).includes(wanted));
      if (lines.length > HITS_PER_FILE_MAX) shortened += 1;
      const hits = lines.slice(0, HITS_PER_FILE_MAX).map((hit) => describe(path, hit));
      hitsByFile.set(at, hits);
      count += hits.length;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const hits = [...hitsByFile].sort(([one], [other]) => one - other).flatMap(([, some]) => some);
  const cut = `(Only the first ${HITS_PER_FILE_MAX} matching lines of ${formatFileCount(shortened)} are shown.)`;
  return { hits, remarks: [...(shortened === 0 ? [] : [cut]), ...formatUnsearched(unsearched)] };
}

const WHY: Readonly<Record<Exclude<FileText["kind"], "text">, string>> = {
  binary: "not text",
  huge: `larger than ${FILE_BYTES_MAX} bytes`,
  other: "a link or not a regular file",
  unreadable: "unreadable",
};

function formatUnsearched(unsearched: ReadonlyMap<FileText["kind"], number>): string[] {
  const parts = [...unsearched].flatMap(([kind, count]) =>
    kind === "text" ? [] : [`${formatFileCount(count)} (${WHY[kind]})`],
  );
  return parts.length === 0 ? [] : [`(Not searched: ${parts.join(", ")}.)`];
}

function formatFileCount(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

function linesWith(text: string, isWanted: (line: string) => boolean): { line: number; text: string }[] {
  const hits: { line: number; text: string }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!isWanted(line)) continue;
    hits.push({ line: at + 1, text: line });
    if (hits.length > HITS_PER_FILE_MAX) break;
  }
  return hits;
}

async function searchWithGit(paths: readonly string[], search: FileSearch): Promise<SearchResult> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const end = await runGit({
    cwd: search.root,
    args: [...GREP, ...(search.ignoresCase ? ["-i"] : []), "-e", search.text, "--", "."],
    signal: search.signal,
    marker: search.marker,
    timeoutMs: GIT_MS_MAX,
    onOutput: (chunk) => {
      bytes += chunk.length;
      chunks.push(chunk);
      return bytes < GIT_BYTES_MAX;
    },
  });
  search.signal.throwIfAborted();
  // Git has the same exit code for no match and no repository, so the answer names both.
  if (end === "absent" || (end === "failed" && bytes === 0)) {
    const why = end === "absent" ? "git is not installed" : "nothing matches, or this is not a git repository";
    if (end === "absent") throw new ToolError("tool_error", `Regular expressions are not available: ${why}.`);
    return { hits: [`(${why}, or the expression is not a valid POSIX extended one)`], remarks: [] };
  }
  const wanted = new Set(paths);
  const hits = Buffer.concat(chunks)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => readHit(line, wanted));
  return { hits, remarks: CUT[end] ?? [] };
}

/** For a search that ended early. */
const CUT: Readonly<Partial<Record<GitEnd, readonly string[]>>> = {
  timed_out: [
    `(Not all files were searched: the search timed out after ${GIT_MS_MAX / 1_000} s. Narrow the expression.)`,
  ],
  enough: [`(Not all files were searched: there are more than ${GIT_BYTES_MAX} bytes of matches.)`],
};

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
