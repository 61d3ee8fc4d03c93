/** Places in a text that must not leave, and the text without them. */
export type RedactedKind = "secret" | "home" | "user" | "word";

export interface Range {
  readonly start: number;
  readonly end: number;
  readonly kind: RedactedKind;
}

export const MARKS: Readonly<Record<RedactedKind, string>> = {
  secret: "[redacted]",
  home: "~",
  user: "[user]",
  word: "[redacted]",
};

/** What wins where two overlap: the mark that gives away less. */
const STRENGTH: Readonly<Record<RedactedKind, number>> = { secret: 3, word: 2, home: 1, user: 0 };

/** In order, without overlaps: what overlaps becomes one. */
export function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push(range);
    else {
      const kind = STRENGTH[range.kind] > STRENGTH[last.kind] ? range.kind : last.kind;
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end), kind };
    }
  }
  return merged;
}

/** The text with a mark in the place of each range. */
export function applyRanges(text: string, ranges: readonly Range[]): string {
  return applyToChunk(text, 0, ranges);
}

/**
 * A piece of a longer text that begins at `offset` in it. A range that reaches over several pieces leaves its mark in the
 * piece where it begins and nothing in the others, so that the pieces together are the redacted whole.
 */
export function applyToChunk(chunk: string, offset: number, ranges: readonly Range[]): string {
  let out = "";
  let at = 0;
  for (const { start, end, kind } of ranges) {
    const from = start - offset;
    const to = Math.min(chunk.length, end - offset);
    if (to <= at) continue;
    if (from >= chunk.length) break;
    out += chunk.slice(at, Math.max(at, from));
    if (from >= 0) out += MARKS[kind];
    at = to;
  }
  return out + chunk.slice(at);
}
