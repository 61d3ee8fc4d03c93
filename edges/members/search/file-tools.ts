/** Scout's tools, each shown as a tool call: list_files, search_text, read_file. */
import {
  type EmbeddedTurn,
  type FileList,
  FILES_MAX,
  type FileText,
  listFiles,
  printableLine,
  type TextReader,
} from "../../../src/agents/index.ts";
import { cutLine } from "./excerpt.ts";
import type { FileHits } from "./match-file.ts";
import { counted } from "../markdown.ts";
import type { RankedHit } from "./rank.ts";
import type { HitLine } from "../scout/report.ts";
import { SEARCH_MS_MAX, searchText, type SearchResult } from "./search-text.ts";
import type { Term } from "./terms.ts";
import { formatCount } from "../../../src/kit/text/format.ts";

export interface Workspace {
  /** Links resolved. */
  readonly root: string;
  readonly reader: TextReader;
}

/** Hits that a tool shows; the rest is counted. */
const LISTED_PATHS_MAX = 60;
const LISTED_HITS_MAX = 40;

export function listFilesTool(turn: EmbeddedTurn, workspace: Workspace): Promise<FileList> {
  const call = { name: "list_files", args: { directory: "." }, title: "List the files", kind: "search" as const };
  return turn.tool(call, async () => {
    const value = await listFiles(workspace.root, {
      signal: turn.signal,
      reader: workspace.reader,
      marker: turn.setup.marker,
    });
    const shown = value.paths.slice(0, LISTED_PATHS_MAX).map(printableLine);
    const how = value.by === "git" ? "git ls-files" : "directory walk";
    const head = `${counted(value.paths.length, "file")} (${how})${value.isCut ? `, cut at the limit of ${FILES_MAX}` : ""}`;
    const left = value.paths.length - shown.length;
    const result = [head, ...shown, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n");
    return { value, result, ...truncation(value.paths, shown) };
  });
}

function truncation(all: readonly string[], shown: readonly string[]) {
  if (all.length === shown.length) return {};
  const bytes = (paths: readonly string[]) => paths.reduce((sum, path) => sum + Buffer.byteLength(path) + 1, 0);
  return { truncated: { totalBytes: bytes(all), shownBytes: bytes(shown) } };
}

export function searchTextTool(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { paths, terms }: { paths: readonly string[]; terms: readonly Term[] },
): Promise<SearchResult> {
  const labels = terms.map((term) => term.shown);
  const title = `Search ${counted(paths.length, "file")} for ${labels.slice(0, 4).join(", ")}`;
  const call = { name: "search_text", args: { words: labels, files: paths.length }, title, kind: "search" as const };
  return turn.tool(call, async (tool) => {
    let shown = 0;
    const value = await searchText(paths, terms, {
      reader: workspace.reader,
      clock: turn.clock,
      signal: turn.signal,
      isEnough: () => turn.hasSteer(),
      onMatch: (hits) => {
        if (shown++ < LISTED_HITS_MAX) tool.output(`${describeHits(hits)}\n`);
      },
    });
    return { value, result: describeSearch(value, turn.hasSteer()) };
  });
}

function describeHits(hits: FileHits): string {
  const count = hits.counts.reduce((sum, one) => sum + one, 0);
  return `${printableLine(hits.path)}: ${counted(count, "match")}`;
}

function describeSearch(result: SearchResult, isSteered: boolean): string {
  const summary = `Matches in ${counted(result.files.length, "file")} of ${formatCount(result.searched)} searched`;
  if (result.notReached === 0) return `${summary}.`;
  const why = isSteered ? "a new message arrived" : `the limit of ${SEARCH_MS_MAX / 1_000} s was reached`;
  return `${summary}; ${why} with ${counted(result.notReached, "file")} left.`;
}

/** Reads one file and passes it to `cut`, which returns the value and the text to show. */
export function readFileTool<Value extends { shown: string }>(
  turn: EmbeddedTurn,
  workspace: Workspace,
  { path, cut }: { path: string; cut: (text: string) => Value },
): Promise<Value> {
  const shownPath = printableLine(path);
  const call = { name: "read_file", args: { path: shownPath }, title: `Read ${shownPath}`, kind: "read" as const };
  return turn.tool(call, async () => {
    const file = await workspace.reader.read(path);
    if (file.kind !== "text") throw new Error(`${shownPath} ${whyNotText(file)}.`);
    const value = cut(file.text);
    const shownBytes = Buffer.byteLength(value.shown);
    const isWhole = shownBytes >= file.bytes;
    return { value, result: value.shown, ...(isWhole ? {} : { truncated: { totalBytes: file.bytes, shownBytes } }) };
  });
}

/** One line for each of several places. Deleted files give empty lines. */
export function readLinesTool(
  turn: EmbeddedTurn,
  workspace: Workspace,
  hits: readonly RankedHit[],
): Promise<HitLine[]> {
  if (hits.length === 0) return Promise.resolve([]);
  const names = hits.map((hit) => `${printableLine(hit.path)}:${hit.line}`);
  const title = `Read ${counted(hits.length, "line")}`;
  return turn.tool({ name: "read_lines", args: { places: names }, title, kind: "read" }, async () => {
    const texts = new Map<string, Promise<FileText>>();
    for (const { path } of hits) if (!texts.has(path)) texts.set(path, workspace.reader.read(path));
    const value = await Promise.all(
      hits.map(async (hit) => {
        const file = await texts.get(hit.path);
        const text = file?.kind === "text" ? (file.text.split("\n")[hit.line - 1] ?? "") : "";
        return { hit, text: cutLine(text.replace(/\r$/, "")).replaceAll("\t", " ") };
      }),
    );
    return { value, result: value.map(({ text }, index) => `${names[index]}: ${text.trim()}`).join("\n") };
  });
}

function whyNotText(file: Exclude<FileText, { kind: "text" }>): string {
  if (file.kind === "huge") return `is too large to read (${formatCount(file.bytes)} bytes)`;
  return WHY_NOT_TEXT[file.kind];
}

const WHY_NOT_TEXT = {
  binary: "is not a text file",
  other: "is a link or not a regular file, so it is not read",
  unreadable: "could not be read: it was deleted, or access is denied",
};
