/** One-line excerpt around the matches, with their positions in it. */
import { type FoldedText, foldWithOrigin, isTokenLetter, isUnspacedLetter } from "./parse-query.ts";
import type { Term } from "./parse-query.ts";

const SNIPPET_CHARS = 180;
/** Context before the first mark when the text is longer than a line. */
const LEAD_CHARS = 40;
/** Candidate start positions that are compared. */
const STARTS_MAX = 60;
/** The start of a longer text is scanned first, where almost all matches are. */
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

/** Start of the line that contains the most terms. */
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

/** Avoids splitting a surrogate pair. */
function atLetter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Collapses whitespace and joins adjacent marks. */
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

/** Marks per term: enough to choose the best line from. */
const MARKS_MAX = 40;

interface Mark {
  readonly from: number;
  readonly to: number;
  /** Index of the term. */
  readonly term: number;
}

/** Matches of the terms in the original text, in text order; marks of different terms may overlap. */
function findMarks(original: string, terms: readonly Term[]): Mark[] {
  const folded = foldWithOrigin(original);
  const marks = terms.flatMap((term, index) => marksOf(folded, original, term, index));
  return marks.sort((a, b) => a.from - b.from || b.to - a.to);
}

function marksOf(folded: FoldedText, original: string, term: Term, index: number): Mark[] {
  const marks: Mark[] = [];
  const pattern = patternOf(term);
  for (const match of folded.text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (!fits(folded, original, match.index, end, term)) continue;
    marks.push({ from: folded.origin(match.index), to: endIn(folded, end), term: index });
    if (marks.length >= MARKS_MAX) break;
  }
  return marks;
}

/** End of the last letter in the original, including its combining marks. */
function endIn({ origin }: FoldedText, end: number): number {
  const last = origin(end - 1);
  let after = end;
  while (origin(after) === last) after += 1;
  return origin(after);
}

/** The literal with flexible whitespace, or the tokens with any punctuation between them. */
function patternOf({ tokens, literal }: Term): RegExp {
  const source =
    literal === undefined
      ? tokens.map(escapePattern).join(String.raw`[^\p{L}\p{N}]*`)
      : escapePattern(literal).replaceAll(" ", String.raw`\s+`);
  return new RegExp(source, "gu");
}

function fits(folded: FoldedText, original: string, from: number, to: number, { literal, isPrefix }: Term): boolean {
  if (literal !== undefined) return true;
  const { text, origin } = folded;
  return startsWord(text, original, from, origin(from)) && (isPrefix || endsWord(text, original, to, origin(to)));
}

function startsWord(text: string, original: string, at: number, originalAt: number): boolean {
  const [before, here] = [letterBefore(text, at), letterAt(text, at)];
  return !isTokenLetter(before) || isUnspacedLetter(here) || isUnspacedLetter(before) || isHump(original, originalAt);
}

function endsWord(text: string, original: string, at: number, originalAt: number): boolean {
  const [last, next] = [letterBefore(text, at), letterAt(text, at)];
  return !isTokenLetter(next) || isUnspacedLetter(last) || isUnspacedLetter(next) || isHump(original, originalAt);
}

/** Start of a part of a camel-case name. */
function isHump(original: string, at: number): boolean {
  const context = original.slice(Math.max(0, at - 1), at + 2);
  return /^[a-z0-9][A-Z]/.test(context) || /^[A-Z][A-Z][a-z]/.test(context);
}

function letterAt(text: string, at: number): string | undefined {
  const code = text.codePointAt(at);
  return code === undefined ? undefined : String.fromCodePoint(code);
}

function letterBefore(text: string, at: number): string | undefined {
  if (at === 0) return undefined;
  const code = text.codePointAt(at - 2) ?? 0;
  return code > 0xffff ? String.fromCodePoint(code) : text[at - 1];
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}/-]/g, String.raw`\$&`);
}
