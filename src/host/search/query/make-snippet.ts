/** One line around what was found, with the places in it. */
import { findMarks, type Mark } from "./find-marks.ts";
import type { Term } from "./parse-query.ts";

const SNIPPET_CHARS = 180;
/** How much stands before the first mark when there is more than a line. */
const LEAD_CHARS = 40;
/** How many places are weighed against each other. */
const STARTS_MAX = 60;
/** Longer texts are looked at around their beginning first, which is where almost everything is found. */
const SCANNED_CHARS = 16 * 1024;

export interface Snippet {
  readonly snippet: string;
  readonly marks: [number, number][];
}

export function makeSnippet(text: string, terms: readonly Term[]): Snippet {
  const begin = findMarks(text.slice(0, SCANNED_CHARS), terms);
  const hasAll = new Set(begin.map(({ term }) => term)).size === terms.length;
  const marks = text.length <= SCANNED_CHARS || hasAll ? begin : findMarks(text, terms);
  const from = startOf(text, marks);
  const to = atLetter(text, Math.min(text.length, from + SNIPPET_CHARS));
  return toOneLine(text, { from, to }, marks);
}

/** Where a line begins that holds as many of the terms as can stand in one. */
function startOf(text: string, marks: readonly Mark[]): number {
  let best = { start: marks[0]?.from ?? 0, terms: 0 };
  for (const { from } of marks.slice(0, STARTS_MAX)) {
    const near = marks.filter((mark) => mark.from >= from && mark.to <= from + SNIPPET_CHARS - LEAD_CHARS);
    const terms = new Set(near.map(({ term }) => term)).size;
    if (terms > best.terms) best = { start: from, terms };
  }
  if (best.start <= LEAD_CHARS || text.length <= SNIPPET_CHARS) return 0;
  const start = best.start - LEAD_CHARS;
  const blank = text.slice(start, best.start).search(/\s/);
  return atLetter(text, blank < 0 ? start : start + blank + 1);
}

/** Not between the two halves of a letter. */
function atLetter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Blanks and line ends become one blank, and marks that touch become one. */
function toOneLine(text: string, { from, to }: { from: number; to: number }, marks: readonly Mark[]): Snippet {
  let snippet = from > 0 ? "…" : "";
  const offsets: number[] = [];
  let isBlank = true;
  for (let at = from; at < to; at += 1) {
    const char = text[at] ?? "";
    offsets[at - from] = snippet.length;
    const isSpace = /\s/.test(char);
    if (!isSpace) snippet += char;
    else if (!isBlank) snippet += " ";
    isBlank = isSpace;
  }
  const end = snippet.trimEnd().length;
  const shown: [number, number][] = [];
  for (const mark of marks.filter((one) => one.from >= from && one.to <= to)) {
    const start = offsets[mark.from - from] ?? 0;
    const stop = Math.min(end, offsets[mark.to - from] ?? end);
    const last = shown.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], stop);
    else if (start < stop) shown.push([start, stop]);
  }
  return { snippet: `${snippet.slice(0, end)}${to < text.trimEnd().length ? "…" : ""}`, marks: shown };
}
