/** Rows of a unified diff: numbers, pairs of changed lines, the words that differ, and folded unchanged lines. */
import { diffArrays } from "diff";

/** Characters from start to end. */
export type Span = readonly [start: number, end: number];

export interface DiffRow {
  readonly kind: "unchanged" | "removed" | "added";
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
  /** Index of the line in the text of its side, see `DiffRows`. */
  readonly at: number;
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

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
/** Lines around a change that stay. */
const CONTEXT = 3;
/** Folding fewer lines saves nothing. */
const FOLDED_MIN = 4;
/** Longer lines are not compared by words. */
const COMPARED_CHARS_MAX = 1_000;
/** Lines that share less than this are different lines, not changed ones. */
const SHARED_MIN = 0.35;

export function diffRows(patch: string): DiffRows {
  const parser = createParser();
  for (const line of patch.split("\n")) parser.push(line);
  const rows = withMarks(parser.rows);
  const side = (other: DiffRow["kind"]) =>
    rows
      .filter(({ kind }) => kind !== other)
      .map(({ text }) => text)
      .join("\n");
  return { items: folded(rows), oldText: side("added"), newText: side("removed") };
}

function createParser() {
  const rows: DiffRow[] = [];
  let [oldNumber, newNumber, oldLeft, newLeft] = [1, 1, 0, 0];
  let [oldAt, newAt] = [0, 0];
  function push(line: string): void {
    const hunk = HUNK.exec(line);
    if (hunk !== null && oldLeft <= 0 && newLeft <= 0) {
      [oldNumber, oldLeft, newNumber, newLeft] = [hunk[1], hunk[2] ?? 1, hunk[3], hunk[4] ?? 1].map(Number) as [
        number,
        number,
        number,
        number,
      ];
      return;
    }
    // Headers between files, and the remark about a missing line end.
    if ((oldLeft <= 0 && newLeft <= 0) || line.startsWith("\\")) return;
    const text = line.slice(1).replace(/\r$/, "");
    const sign = line[0] ?? " ";
    if (sign === "-") {
      rows.push({ kind: "removed", text, oldNumber: oldNumber++, at: oldAt++, marks: [] });
      oldLeft -= 1;
    } else if (sign === "+") {
      rows.push({ kind: "added", text, newNumber: newNumber++, at: newAt++, marks: [] });
      newLeft -= 1;
    } else {
      rows.push({ kind: "unchanged", text, oldNumber: oldNumber++, newNumber: newNumber++, at: newAt++, marks: [] });
      oldAt += 1;
      oldLeft -= 1;
      newLeft -= 1;
    }
  }
  return { rows, push };
}

function withMarks(rows: readonly DiffRow[]): DiffRow[] {
  const marked = [...rows];
  for (let at = 0; at < rows.length; at += 1) {
    if (rows[at]?.kind !== "removed") continue;
    const first = at;
    while (rows[at]?.kind === "removed") at += 1;
    const middle = at;
    while (rows[at]?.kind === "added") at += 1;
    for (let pair = 0; pair < Math.min(middle - first, at - middle); pair += 1) {
      const [before, after] = [rows[first + pair], rows[middle + pair]];
      if (before === undefined || after === undefined) continue;
      const [removed, added] = changedSpans(before.text, after.text);
      marked[first + pair] = { ...before, marks: removed };
      marked[middle + pair] = { ...after, marks: added };
    }
    at -= 1;
  }
  return marked;
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
