/** Ranges to redact in a text, and their replacement. */
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

/** Where two ranges overlap, the mark that reveals less wins. */
const STRENGTH: Readonly<Record<RedactedKind, number>> = { secret: 3, word: 2, home: 1, user: 0 };

/** Sorted; overlapping ranges are merged. */
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

/** Replaces each range by its mark. */
export function applyRanges(text: string, ranges: readonly Range[]): string {
  return applyToChunk(text, 0, ranges);
}

/**
 * Redacts a chunk that starts at `offset` of a longer text. A range that spans several chunks leaves its mark in the
 * first and nothing in the others, so that the chunks together are the redacted text.
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
