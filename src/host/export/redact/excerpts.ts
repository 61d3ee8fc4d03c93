/** Excerpts of a truncated text: a secret that was cut is recognised only in the whole text. */
import { applyToChunk, type Range } from "./ranges.ts";

/** A text with the ranges to redact. */
export interface WholeText {
  readonly text: string;
  readonly ranges: readonly Range[];
}

/**
 * Redacts an excerpt: its longest prefix and suffix that occur in the whole text are redacted as parts of it, and what
 * is between them, such as "… 500 bytes not shown …", by itself.
 */
export function redactExcerpt(excerpt: string, whole: WholeText, redact: (text: string) => string): string {
  const headLength = sameBeginning(excerpt, whole.text);
  const tailLength = sameEnd(excerpt.slice(headLength), whole.text);
  const middle = excerpt.slice(headLength, excerpt.length - tailLength);
  const tail = excerpt.slice(excerpt.length - tailLength);
  const head = applyToChunk(excerpt.slice(0, headLength), 0, whole.ranges);
  return head + redact(middle) + redactTail(tail, whole);
}

/** A tail that starts inside a secret starts with the mark of that secret. */
function redactTail(tail: string, { text, ranges }: WholeText): string {
  if (tail === "") return "";
  const offset = text.length - tail.length;
  const opened = ranges.map((range) =>
    range.start < offset && range.end > offset ? { ...range, start: offset } : range,
  );
  return applyToChunk(tail, offset, opened);
}

function sameBeginning(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let same = 0;
  while (same < length && a.charCodeAt(same) === b.charCodeAt(same)) same += 1;
  return same;
}

function sameEnd(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let same = 0;
  while (same < length && a.charCodeAt(a.length - 1 - same) === b.charCodeAt(b.length - 1 - same)) same += 1;
  return same;
}
