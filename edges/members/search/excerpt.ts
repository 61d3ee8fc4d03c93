/**
 * Extracts the lines to show for a place: a definition with comment and body, a heading with its text, else a window.
 */
import { printable } from "../../../src/agents/index.ts";
import { definitionOf } from "./definition.ts";

export interface Excerpt {
  path: string;
  /** The requested line, from 1. */
  line: number;
  firstLine: number;
  lastLine: number;
  lines: readonly string[];
}

const BODY_LINES_MAX = 14;
const COMMENT_LINES_MAX = 6;
const CONTEXT_LINES = 3;
const LINE_CHARS_MAX = 200;

const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!include|define)|--|"""|@)/;

export function cutExcerpt(path: string, text: string, line: number): Excerpt {
  const all = text.split("\n").map((one) => one.replace(/\r$/, ""));
  if (all.at(-1) === "") all.pop();
  const at = Math.min(Math.max(line, 1), Math.max(all.length, 1)) - 1;
  const definition = definitionOf(all[at] ?? "", path);
  const [first, last] =
    definition === undefined
      ? [Math.max(0, at - CONTEXT_LINES), Math.min(all.length - 1, at + CONTEXT_LINES)]
      : definition.as === "heading"
        ? [at, endOfSection(all, at)]
        : [startOfComment(all, at), endOfBody(all, at)];
  return trimmed(path, all, { at, first, last });
}

function trimmed(path: string, all: readonly string[], range: { at: number; first: number; last: number }): Excerpt {
  let { first, last } = range;
  while (first < range.at && (all[first] ?? "").trim() === "") first++;
  while (last > range.at && (all[last] ?? "").trim() === "") last--;
  return {
    path,
    line: range.at + 1,
    firstLine: first + 1,
    lastLine: last + 1,
    lines: all.slice(first, last + 1).map(cutLine),
  };
}

export function cutLine(line: string): string {
  const shown = printable(line);
  return shown.length > LINE_CHARS_MAX ? `${shown.slice(0, LINE_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, "")} …` : shown;
}

function startOfComment(all: readonly string[], at: number): number {
  let first = at;
  while (first > 0 && at - first < COMMENT_LINES_MAX && COMMENT.test(all[first - 1] ?? "")) first--;
  return first;
}

function endOfSection(all: readonly string[], at: number): number {
  let last = at;
  while (last + 1 < all.length && last - at < BODY_LINES_MAX && !/^#{1,6} /.test(all[last + 1] ?? "")) last++;
  return last;
}

/** Up to the end of the block, or the next item on the same level. */
function endOfBody(all: readonly string[], at: number): number {
  const level = indentOf(all[at] ?? "");
  let last = at;
  while (last + 1 < all.length && last - at < BODY_LINES_MAX) {
    const next = all[last + 1] ?? "";
    const closes = /^\s*(?:[})\]]|end\b|fi\b|done\b)/.test(next);
    if (next.trim() !== "" && indentOf(next) <= level && !closes) break;
    last++;
    // "): Result {" closes the parameters and opens the body.
    if (closes && indentOf(next) <= level && !/[{(:[]\s*$/.test(next)) break;
  }
  return last;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
