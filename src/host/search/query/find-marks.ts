/** Where the terms of a search stand in a text, as it was written. */
import { foldWithOrigin, isTokenLetter, isUnspacedLetter, type FoldedText } from "./fold-text.ts";
import type { Term } from "./parse-query.ts";

/** Of each term: more than a line can show, and enough to choose the best line from. */
const MARKS_MAX = 40;

export interface Mark {
  readonly from: number;
  readonly to: number;
  /** Which term it is. */
  readonly term: number;
}

/** In the order of the text; marks of different terms may overlap. */
export function findMarks(original: string, terms: readonly Term[]): Mark[] {
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

/** The last letter with all that is written onto it. */
function endIn({ origin }: FoldedText, end: number): number {
  const last = origin(end - 1);
  let after = end;
  while (origin(after) === last) after += 1;
  return origin(after);
}

/** As it stands, with any blanks for a blank; or its words with whatever signs between them. */
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

/** The beginning of a part of a name that is written together. */
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
