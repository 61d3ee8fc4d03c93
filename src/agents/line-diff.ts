/** Unified diff of two versions of a file, in bounded time. */
import { structuredPatch, type StructuredPatchHunk } from "diff";

export interface LineDiff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const CONTEXT_LINES = 3;
/** Texts further apart than this are shown as replaced between their common first and last lines. */
const EDITS_MAX = 400;

/** Undefined for a version in which the file does not exist. */
export function diffLines(path: string, before: string | undefined, after: string | undefined): LineDiff {
  const hunks = diffHunks(before ?? "", after ?? "");
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const name = headName(path);
  const head = `--- ${before === undefined ? "/dev/null" : `a/${name}`}\n+++ ${after === undefined ? "/dev/null" : `b/${name}`}\n`;
  return {
    text: hunks.length === 0 ? "" : head + hunks.map(formatHunk).join(""),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

/** A file's name in a diff: one with a newline in it would continue as lines of the diff. */
export function headName(path: string): string {
  return path.replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

function diffHunks(before: string, after: string): StructuredPatchHunk[] {
  const options = { context: CONTEXT_LINES, maxEditLength: EDITS_MAX };
  return structuredPatch("", "", before, after, undefined, undefined, options)?.hunks ?? replaced(before, after);
}

/** Hunks between two versions of a part of a file, where a missing last newline says nothing about the file. */
export function diffParts(before: string, after: string): StructuredPatchHunk[] {
  return diffHunks(withNewline(before), withNewline(after));
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** One hunk that replaces everything between the common first and last lines. */
function replaced(before: string, after: string): StructuredPatchHunk[] {
  const [olds, news] = [splitLines(before), splitLines(after)];
  const shorter = Math.min(olds.length, news.length);
  let start = 0;
  while (start < shorter && olds[start] === news[start]) start++;
  let end = 0;
  while (end < shorter - start && olds.at(-1 - end) === news.at(-1 - end)) end++;
  const from = Math.max(0, start - CONTEXT_LINES);
  const tail = olds.slice(olds.length - end, olds.length - end + CONTEXT_LINES);
  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line);
  return [
    {
      oldStart: from + 1,
      newStart: from + 1,
      oldLines: olds.length - end - from + tail.length,
      newLines: news.length - end - from + tail.length,
      lines: [
        ...marked(" ", olds.slice(from, start)),
        ...marked("-", olds.slice(start, olds.length - end)),
        ...marked("+", news.slice(start, news.length - end)),
        ...marked(" ", tail),
      ],
    },
  ];
}

/** A last line without a line break carries the note that `patch` expects. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function formatHunk({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join("\n")}\n`;
}

function range(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`;
  return count === 1 ? `${start}` : `${start},${count}`;
}
