/** A unified diff with line numbers; changed words inside of changed lines are marked. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { diffArrays } from "diff";
import { nameInDiff, readDiff } from "../../kit/text/read-diff.ts";
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import { highlightLines } from "../markdown/highlight.ts";
import { closeRow, cutRows, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { plural } from "./format.ts";

interface DiffOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly rowsMax: number;
  /** The file's, for its colours. */
  readonly language?: string;
  readonly numberWidth?: number;
  /** Long lines wrap instead of being cut. */
  readonly isWhole?: boolean;
}

interface Line {
  readonly sign: " " | "-" | "+";
  readonly number: number;
  readonly text: string;
}

/** Longer lines are compared as a whole: the comparison grows with the square of their words. */
const COMPARED_CHARS_MAX = 500;

/** Limit of line pairs that are compared with each other. */
const PAIRS_MAX = 400;

const NUMBER_WIDTH = 5;
/** Blank, sign, blank. */
const SIGN_WIDTH = 3;

export function diffRows(diff: string, options: DiffOptions): string[] {
  const { theme, width, rowsMax } = options;
  const rows: string[] = [];
  const hunks = hunksOf(diff);
  const total = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  for (const [index, hunk] of hunks.entries()) {
    if (index > 0 && rows.length < rowsMax) rows.push(dividingRow(hunk, options));
    const marked = markChanges(hunk.lines, options);
    for (const [at, line] of hunk.lines.entries()) {
      if (rows.length >= rowsMax) {
        const left = total - rows.length;
        return [...rows, oneRow(theme.paint("quiet", `${theme.glyph("more")} ${plural(left, "more line")}`), width)];
      }
      rows.push(...lineRows(line, marked.get(at), options));
    }
  }
  return rows;
}

/** Before on the left, after on the right; unchanged lines are on both sides. */
export function sideBySideRows(diff: string, options: DiffOptions): string[] {
  const { theme, width, rowsMax } = options;
  const divider = theme.paint("faint", ` ${theme.glyph("divider")} `);
  const half = Math.max(1, Math.floor((width - visibleWidth(divider)) / 2));
  const rows: string[] = [];
  for (const [index, hunk] of hunksOf(diff).entries()) {
    if (index > 0) rows.push(dividingRow(hunk, options));
    const { lines } = hunk;
    const marked = markChanges(lines, options);
    const side = (at: number | undefined) => {
      const line = at === undefined ? undefined : lines[at];
      const [row = ""] = line === undefined ? [] : lineRows(line, marked.get(at ?? 0), { ...options, width: half });
      return row + " ".repeat(Math.max(0, half - visibleWidth(row)));
    };
    for (const [before, after] of sidesOf(lines))
      rows.push(oneRow(side(before) + divider + side(after).trimEnd(), width));
  }
  if (rows.length <= rowsMax) return rows;
  const left = theme.paint("quiet", `${theme.glyph("more")} ${plural(rows.length - rowsMax, "more line")}`);
  return [...rows.slice(0, rowsMax), oneRow(left, width)];
}

/** Indexes of the lines beside each other. */
function sidesOf(lines: readonly Line[]): [number | undefined, number | undefined][] {
  const sides: [number | undefined, number | undefined][] = [];
  for (let at = 0; at < lines.length;) {
    const removed = runLength(lines, at, "-");
    const added = runLength(lines, at + removed, "+");
    if (removed + added === 0) sides.push([at, at]);
    for (let row = 0; row < Math.max(removed, added); row += 1)
      sides.push([row < removed ? at + row : undefined, row < added ? at + removed + row : undefined]);
    at += Math.max(1, removed + added);
  }
  return sides;
}

function lineRows(
  { sign, number, text }: Line,
  marked: string | undefined,
  { theme, width, language = "", isWhole = false, numberWidth = NUMBER_WIDTH }: DiffOptions,
): string[] {
  const label = theme.paint("quiet", String(number).padStart(numberWidth));
  const leadWidth = numberWidth + SIGN_WIDTH;
  const [coloured = text] = marked === undefined ? (highlightLines(text, language, theme) ?? [text]) : [marked];
  const lines = isWhole ? cutRows(coloured, Math.max(1, width - leadWidth)) : [coloured];
  const glyph = sign === "+" ? "+" : theme.glyph("minus");
  const lead =
    sign === " "
      ? `${label}   `
      : `${label} ${theme.paint(sign === "+" ? "added" : "removed", theme.decorate("bold", glyph))} `;
  return lines.map((line, at) => {
    const row = oneRow((at === 0 ? lead : " ".repeat(leadWidth)) + line, width);
    return sign === " " ? row : groundRow(row, sign, { theme, width });
  });
}

function groundRow(row: string, sign: "+" | "-", { theme, width }: Pick<DiffOptions, "theme" | "width">): string {
  const padding = " ".repeat(Math.max(0, width - visibleWidth(row)));
  const hasGround = theme.depth === "truecolor" || theme.depth === "256";
  return closeRow(theme.paint(sign === "+" ? "addedLine" : "removedLine", hasGround ? row + padding : row), width);
}

interface Hunk {
  /** The file, where another one than the first begins. */
  readonly file?: string;
  readonly lines: Line[];
}

/** Lines by hunk. The caller shows the name of the first file. */
function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let file: string | undefined;
  let isFirst = true;
  let [oldNumber, newNumber] = [1, 1];
  const begin = (): Hunk => {
    const hunk = { ...(file === undefined ? {} : { file }), lines: [] };
    file = undefined;
    hunks.push(hunk);
    return hunk;
  };
  let hunk: Hunk | undefined;
  for (const line of readDiff(terminalSafe(diff).replaceAll("\t", "    ").trimEnd())) {
    if (line.kind === "file") {
      if (!isFirst || hunk !== undefined) file = nameInDiff(line);
      [isFirst, hunk, oldNumber, newNumber] = [false, undefined, 1, 1];
    } else if (line.kind === "hunk") {
      [oldNumber, newNumber] = [line.oldStart ?? oldNumber, line.newStart ?? newNumber];
      hunk = begin();
    } else {
      hunk ??= begin();
      const { kind, text } = line;
      const sign = kind === "added" ? "+" : kind === "removed" ? "-" : " ";
      hunk.lines.push({ sign, number: kind === "removed" ? oldNumber : newNumber, text });
      if (kind !== "added") oldNumber += 1;
      if (kind !== "removed") newNumber += 1;
    }
  }
  return hunks;
}

/** Between two hunks: the name of the next file, or a mark. */
function dividingRow({ file }: Hunk, { theme, width, numberWidth = NUMBER_WIDTH }: DiffOptions): string {
  if (file === undefined) return theme.paint("faint", `${" ".repeat(numberWidth)}${theme.glyph("more")}`);
  return oneRow(theme.decorate("bold", file), width);
}

/** Changed words of lines that were replaced by similar ones, by their index. */
function markChanges(lines: readonly Line[], options: DiffOptions): Map<number, string> {
  const marked = new Map<number, string>();
  for (let at = 0; at < lines.length;) {
    const removed = runLength(lines, at, "-");
    const added = runLength(lines, at + removed, "+");
    for (const [before, after] of pairLines(
      lines.slice(at, at + removed),
      lines.slice(at + removed, at + removed + added),
    )) {
      const [old, now] = [lines[at + before], lines[at + removed + after]];
      const pair = changedSpans(old?.text ?? "", now?.text ?? "", options);
      if (pair === undefined) continue;
      marked.set(at + before, pair[0]);
      marked.set(at + removed + after, pair[1]);
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}

/** Lines one by one where as many were added as removed, else those in order that have most in common. */
function pairLines(removed: readonly Line[], added: readonly Line[]): [number, number][] {
  if (removed.length === added.length) return removed.map((_, at) => [at, at]);
  if (removed.length * added.length > PAIRS_MAX) return [];
  const best = Array.from({ length: removed.length + 1 }, () => Array.from({ length: added.length + 1 }, () => 0));
  const at = (row: number, column: number) => best[row]?.[column] ?? 0;
  const worth = removed.map((one) => added.map((other) => inCommon(one.text, other.text)));
  for (let row = removed.length - 1; row >= 0; row -= 1)
    for (let column = added.length - 1; column >= 0; column -= 1) {
      const both = at(row + 1, column + 1) + (worth[row]?.[column] ?? 0);
      best[row]?.splice(column, 1, Math.max(both, at(row + 1, column), at(row, column + 1)));
    }
  const pairs: [number, number][] = [];
  for (let [row, column] = [0, 0]; row < removed.length && column < added.length;) {
    if (at(row, column) === at(row + 1, column)) row += 1;
    else if (at(row, column) === at(row, column + 1)) column += 1;
    else pairs.push([row++, column++]);
  }
  return pairs;
}

/** Characters that both have in common; none for a line that was moved, or where most has changed. */
function inCommon(before: string, after: string): number {
  if (before.trim() === after.trim()) return 0;
  const changes = compareTokens(before, after);
  return changes === undefined ? 0 : sameChars(changes);
}

function runLength(lines: readonly Line[], from: number, sign: Line["sign"]): number {
  let length = 0;
  while (lines[from + length]?.sign === sign) length += 1;
  return length;
}

/** Words, blanks and signs. */
const TOKENS = /(?<=\W)|(?=\W)/;

type WordChange = { readonly isAdded: boolean; readonly isRemoved: boolean; readonly value: string };

/** Undefined where most of the line has changed: marking all of it says nothing. */
function compareTokens(before: string, after: string): WordChange[] | undefined {
  if (before.length > COMPARED_CHARS_MAX || after.length > COMPARED_CHARS_MAX) return undefined;
  const changes = diffArrays(before.split(TOKENS), after.split(TOKENS)).map(({ added, removed, value }) => ({
    isAdded: added,
    isRemoved: removed,
    value: value.join(""),
  }));
  return sameChars(changes) * 3 < Math.max(before.trim().length, after.trim().length) ? undefined : changes;
}

function sameChars(changes: readonly WordChange[]): number {
  return changes.reduce(
    (sum, { isAdded, isRemoved, value }) => sum + (isAdded || isRemoved ? 0 : value.trim().length),
    0,
  );
}

function changedSpans(
  before: string,
  after: string,
  { theme, language = "" }: DiffOptions,
): [string, string] | undefined {
  const changes = compareTokens(before, after);
  if (changes === undefined) return undefined;
  const side = (isAfter: boolean) =>
    changes
      .filter(({ isAdded, isRemoved }) => (isAfter ? !isRemoved : !isAdded))
      .map(({ isAdded, isRemoved, value }) => {
        const [coloured = value] = highlightLines(value, language, theme) ?? [value];
        return isAdded || isRemoved ? theme.paint(isAfter ? "addedWord" : "removedWord", coloured) : coloured;
      })
      .join("");
  return [side(false), side(true)];
}
