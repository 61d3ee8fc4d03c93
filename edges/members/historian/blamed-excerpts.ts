/** Current places with the author, date and commit of each line. */
import type { EmbeddedTurn } from "../../../src/agents/index.ts";
import type { Excerpt } from "../search/excerpt.ts";
import { cutLine } from "../search/excerpt.ts";
import { fenced, inlineCode, reference } from "../markdown.ts";
import type { BlamedCommit, BlamedLine } from "./git/blame-lines.ts";
import { blameTool, commitTool, type Blame } from "./git/tools.ts";
import type { Commit } from "./git/log-records.ts";
import type { Repository } from "./git/repository.ts";
import { commitLine, person, subjectOf } from "./write-commits.ts";

export interface BlamedExcerpt {
  excerpt: Excerpt;
  blame: Blame;
  /** In a shallow clone, lines may be older than the commit they are attributed to. */
  isShallow: boolean;
}

const AUTHOR_CHARS_MAX = 16;

/** The excerpts must be of the current files. */
export async function blameExcerpts(
  turn: EmbeddedTurn,
  repository: Repository,
  excerpts: readonly Excerpt[],
): Promise<{ blamed: BlamedExcerpt[]; commits: Commit[] }> {
  const blamed = await Promise.all(
    excerpts.map(async (excerpt) => {
      const text = await currentLine(repository, excerpt);
      const blame = await blameTool(turn, repository, {
        path: excerpt.path,
        first: excerpt.firstLine,
        last: excerpt.lastLine,
        line: excerpt.line,
        text,
      });
      return { excerpt, blame, isShallow: repository.isShallow };
    }),
  );
  const hashes = blamed.flatMap(({ blame }) => (blame.kind === "lines" ? blame.lines.map((line) => line.by.hash) : []));
  return { blamed, commits: await commitTool(turn, repository, [...new Set(hashes)]) };
}

/** The whole line: it is compared with the committed one. */
async function currentLine({ reader }: Repository, { path, line }: Excerpt): Promise<string> {
  const file = await reader.read(path);
  return file.kind === "text" ? (file.text.split("\n")[line - 1] ?? "").replace(/\r$/, "") : "";
}

export function formatBlame(
  { excerpt, blame, isShallow }: BlamedExcerpt,
  commits: ReadonlyMap<string, Commit>,
): string {
  const at = reference(excerpt.path, excerpt.line);
  if (blame.kind === "uncommitted") return `${at} is not committed yet.\n\n${fenced(excerpt.lines, excerpt.path)}\n`;
  if (blame.kind === "unknown") return `${at}: git could not tell who wrote it.\n\n`;
  const own = blame.lines.find((line) => line.line === blame.line) ?? blame.lines[0];
  if (own === undefined) return "";
  const authors = new Set(blame.lines.map((line) => line.by.hash));
  const boundary = isShallow && own.by.isBoundary ? " (or earlier: history ends there)" : "";
  const code = blame.lines.map((line) => cutLine(line.text));
  const isAsNow = code.join("\n") === excerpt.lines.join("\n");
  const changed = isAsNow ? "" : ". Lines around it have uncommitted changes; the committed version:";
  const head = `${at}: ${writtenBy(own.by, commits)}${boundary}${changed}`;
  if (authors.size === 1 && isAsNow) return `${head}\n\n${fenced(code, excerpt.path)}\n`;
  const width = Math.max(...blame.lines.map((line) => nameOf(line).length));
  const rows = blame.lines.map((line, index) => `${gutter(line, width, commits)} ${code[index]}`.trimEnd());
  return `${head}\n\n${fenced(rows, "blame.text")}\n`;
}

function writtenBy(by: BlamedCommit, commits: ReadonlyMap<string, Commit>): string {
  const commit = commits.get(by.hash);
  if (commit !== undefined) return commitLine(commit);
  return `${inlineCode(by.hash.slice(0, 8))} ${by.date} ${person(by.author)}: ${subjectOf(by)}`;
}

function gutter(line: BlamedLine, width: number, commits: ReadonlyMap<string, Commit>): string {
  const short = commits.get(line.by.hash)?.short ?? line.by.hash.slice(0, 7);
  return `${short} ${line.by.date} ${nameOf(line).padEnd(width)} ${String(line.line).padStart(4)}|`;
}

function nameOf(line: BlamedLine): string {
  return person(line.by.author).slice(0, AUTHOR_CHARS_MAX);
}
