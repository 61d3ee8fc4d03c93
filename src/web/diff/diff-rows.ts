/** Rows of a unified diff: numbers, pairs of changed lines, the words that differ, and folded unchanged lines. */
import { diffArrays } from "diff";
import { parsePatch, type PatchLine } from "./parse-patch.ts";

/** Characters from start to end. */
export type Span = readonly [start: number, end: number];

export interface DiffRow extends PatchLine {
  /** Words that differ from the line it replaces, or that replaces it. */
  readonly marks: readonly Span[];
}

/** Unchanged lines that are not shown. */
export interface DiffGap {
  readonly kind: "gap";
  readonly rows: readonly DiffRow[];
  /** Lines between hunks that the diff does not have. */
  readonly unknown: number;
}

export interface DiffRows {
  readonly items: readonly (DiffRow | DiffGap)[];
  /** All lines of each side, for highlighting. */
  readonly oldText: string;
  readonly newText: string;
}

/** Lines around a change that stay. */
const CONTEXT = 3;
/** Folding fewer lines saves nothing. */
const FOLDED_MIN = 4;
/** Longer lines are not compared by words. */
const COMPARED_CHARS_MAX = 1_000;
/** Pairs of lines that are compared; more are paired by their order. */
const PAIRED_MAX = 400;
/** Lines that share less than this are different lines, not changed ones. */
const SHARED_MIN = 0.4;

export function diffRows(patch: string): DiffRows {
  const rows = withMarks(parsePatch(patch).map((line) => Object.assign(line, { marks: [] })));
  const side = (other: DiffRow["kind"]) =>
    rows
      .filter(({ kind }) => kind !== other)
      .map(({ text }) => text)
      .join("\n");
  return { items: folded(rows), oldText: side("added"), newText: side("removed") };
}

function withMarks(rows: readonly DiffRow[]): DiffRow[] {
  const marked = [...rows];
  for (let at = 0; at < rows.length; at += 1) {
    if (rows[at]?.kind !== "removed") continue;
    const first = at;
    while (rows[at]?.kind === "removed") at += 1;
    const middle = at;
    while (rows[at]?.kind === "added") at += 1;
    for (const [left, right] of pairsOf(rows.slice(first, middle), rows.slice(middle, at))) {
      const [before, after] = [rows[first + left], rows[middle + right]];
      if (before === undefined || after === undefined) continue;
      const [removed, added] = changedSpans(before.text, after.text);
      marked[first + left] = { ...before, marks: removed };
      marked[middle + right] = { ...after, marks: added };
    }
    at -= 1;
  }
  return marked;
}

/**
 * Which removed line each added one replaces: in order, and so that they share as much as possible. A line that was moved
 * replaces none.
 */
function pairsOf(removed: readonly DiffRow[], added: readonly DiffRow[]): (readonly [number, number])[] {
  if (removed.length === added.length || removed.length * added.length > PAIRED_MAX)
    return removed.slice(0, added.length).map((_, index) => [index, index]);
  const left = new Set(removed.map(({ text }) => text.trim()));
  const moved = new Set(added.map(({ text }) => text.trim()).filter((text) => left.has(text)));
  const isMoved = ({ text }: DiffRow) => moved.has(text.trim());
  const shares = removed.map((before) =>
    added.map((after) => (isMoved(before) || isMoved(after) ? 0 : shareOf(before.text, after.text))),
  );
  // The most that lines from (left, right) on can share.
  const best = Array.from({ length: removed.length + 1 }, () => added.map(() => 0));
  const at = (left: number, right: number) => best[left]?.[right] ?? 0;
  for (let left = removed.length - 1; left >= 0; left -= 1)
    for (let right = added.length - 1; right >= 0; right -= 1) {
      const paired = (shares[left]?.[right] ?? 0) + at(left + 1, right + 1);
      best[left]?.splice(right, 1, Math.max(paired, at(left + 1, right), at(left, right + 1)));
    }
  const pairs: [number, number][] = [];
  for (let left = 0, right = 0; left < removed.length && right < added.length;) {
    if (at(left, right) === at(left + 1, right)) left += 1;
    else if (at(left, right) === at(left, right + 1)) right += 1;
    else pairs.push([left++, right++]);
  }
  return pairs;
}

/** From 0 to 1, by words. */
function shareOf(before: string, after: string): number {
  const [shortest = 0, longest = 0] = [before.trim().length, after.trim().length].sort((a, b) => a - b);
  if (shortest === 0 || longest > COMPARED_CHARS_MAX) return 0;
  const left = tokensOf(before);
  let shared = 0;
  for (const token of tokensOf(after)) {
    const index = left.indexOf(token);
    if (index < 0) continue;
    left.splice(index, 1);
    shared += token.trim().length;
  }
  return shared < longest * SHARED_MIN ? 0 : shared / shortest;
}

function changedSpans(before: string, after: string): readonly [Span[], Span[]] {
  if (before.length > COMPARED_CHARS_MAX || after.length > COMPARED_CHARS_MAX) return [[], []];
  const removed: Span[] = [];
  const added: Span[] = [];
  let [oldAt, newAt, shared] = [0, 0, 0];
  for (const change of diffArrays(tokensOf(before), tokensOf(after))) {
    const { length } = change.value.join("");
    if (change.removed) removed.push([oldAt, (oldAt += length)]);
    else if (change.added) added.push([newAt, (newAt += length)]);
    else {
      shared += change.value.join("").trim().length;
      oldAt += length;
      newAt += length;
    }
  }
  const longest = Math.max(before.trim().length, after.trim().length);
  return shared < longest * SHARED_MIN ? [[], []] : [removed, added];
}

/** Names, space, and every other character by itself. */
function tokensOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_$]+|\s+|./gsu) ?? [];
}

/** Unchanged lines far from a change become a gap, and so do lines between hunks. */
function folded(rows: readonly DiffRow[]): (DiffRow | DiffGap)[] {
  const items: (DiffRow | DiffGap)[] = [];
  let at = 0;
  let nextOld = 1;
  while (at < rows.length) {
    const row = rows[at];
    if (row === undefined) break;
    const unknown = Math.max(0, (row.oldNumber ?? nextOld) - nextOld);
    if (unknown > 0) items.push({ kind: "gap", rows: [], unknown });
    const run = unchangedFrom(rows, at);
    const from = at + (at === 0 ? 0 : CONTEXT);
    const to = run - (run === rows.length ? 0 : CONTEXT);
    if (to - from >= FOLDED_MIN) {
      items.push(...rows.slice(at, from), { kind: "gap", rows: rows.slice(from, to), unknown: 0 });
      items.push(...rows.slice(to, run));
    } else items.push(...rows.slice(at, Math.max(run, at + 1)));
    at = Math.max(run, at + 1);
    nextOld = (rows[at - 1]?.oldNumber ?? nextOld - 1) + 1;
  }
  return items;
}

/** Where the unchanged, consecutive lines that begin here end. */
function unchangedFrom(rows: readonly DiffRow[], from: number): number {
  let at = from;
  while (rows[at]?.kind === "unchanged" && (at === from || rows[at]?.oldNumber === (rows[at - 1]?.oldNumber ?? 0) + 1))
    at += 1;
  return at;
}
