/** A unified diff with line numbers; changed words inside of changed lines are marked. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { diffArrays } from "diff";
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import { highlightLines } from "../markdown/highlight.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { plural } from "./format.ts";

interface DiffOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly rowsMax: number;
  /** The file's, for its colours. */
  readonly language?: string;
}

interface Line {
  readonly sign: " " | "-" | "+";
  readonly number: number;
  readonly text: string;
}

/** Longer lines are compared as a whole: the comparison grows with the square of their words. */
const COMPARED_CHARS_MAX = 500;

const NUMBER_WIDTH = 5;

export function diffRows(diff: string, options: DiffOptions): string[] {
  const { theme, width, rowsMax } = options;
  const rows: string[] = [];
  const hunks = hunksOf(diff);
  const total = hunks.reduce((sum, { length }) => sum + length, 0);
  for (const [index, hunk] of hunks.entries()) {
    if (index > 0 && rows.length < rowsMax)
      rows.push(theme.paint("faint", `${" ".repeat(NUMBER_WIDTH)}${theme.glyph("more")}`));
    const marked = markChanges(hunk, theme);
    for (const [at, line] of hunk.entries()) {
      if (rows.length >= rowsMax) {
        const left = total - rows.length;
        return [...rows, oneRow(theme.paint("quiet", `${theme.glyph("more")} ${plural(left, "more line")}`), width)];
      }
      rows.push(lineRow(line, marked.get(at), options));
    }
  }
  return rows;
}

function lineRow(
  { sign, number, text }: Line,
  marked: string | undefined,
  { theme, width, language = "" }: DiffOptions,
): string {
  const label = theme.paint("quiet", String(number).padStart(NUMBER_WIDTH));
  const [coloured = text] = marked === undefined ? (highlightLines(text, language, theme) ?? [text]) : [marked];
  if (sign === " ") return oneRow(`${label}   ${coloured}`, width);
  const tone = sign === "+" ? "added" : "removed";
  const glyph = sign === "+" ? "+" : theme.glyph("minus");
  const row = oneRow(`${label} ${theme.paint(tone, glyph)} ${coloured}`, width);
  const padding = " ".repeat(Math.max(0, width - visibleWidth(row)));
  const hasGround = theme.depth === "truecolor" || theme.depth === "256";
  return closeRow(
    theme.paint(sign === "+" ? "addedLine" : "removedLine", hasGround ? row.replace(RESET, "") + padding : row),
    width,
  );
}

// oxlint-disable-next-line no-control-regex -- a row ends with it.
const RESET = /\u001b\[0m$/;

/** Lines by hunk, without the rows that name files. */
function hunksOf(diff: string): Line[][] {
  const hunks: Line[][] = [];
  let lines: Line[] | undefined;
  let [oldNumber, newNumber] = [1, 1];
  for (const line of terminalSafe(diff).replaceAll("\t", "    ").trimEnd().split("\n")) {
    const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line) ?? [];
    if (oldStart !== undefined && newStart !== undefined) {
      [oldNumber, newNumber] = [Number(oldStart), Number(newStart)];
      lines = [];
      hunks.push(lines);
    } else if (/^(?:diff |index |--- |\+\+\+ |new file|deleted file|similarity|rename |Binary|\\)/.test(line)) continue;
    else {
      if (lines === undefined) hunks.push((lines = []));
      const text = line.slice(1);
      if (line.startsWith("+")) lines.push({ sign: "+", number: newNumber++, text });
      else if (line.startsWith("-")) lines.push({ sign: "-", number: oldNumber++, text });
      else {
        lines.push({ sign: " ", number: newNumber++, text });
        oldNumber += 1;
      }
    }
  }
  return hunks;
}

/** Changed words of lines that were replaced one by one, by their index. */
function markChanges(lines: readonly Line[], theme: Theme): Map<number, string> {
  const marked = new Map<number, string>();
  for (let at = 0; at < lines.length;) {
    const removed = runLength(lines, at, "-");
    const added = runLength(lines, at + removed, "+");
    if (removed === added) {
      for (let offset = 0; offset < removed; offset += 1) {
        const pair = changedSpans(lines[at + offset]?.text ?? "", lines[at + removed + offset]?.text ?? "", theme);
        if (pair === undefined) continue;
        marked.set(at + offset, pair[0]);
        marked.set(at + removed + offset, pair[1]);
      }
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}

function runLength(lines: readonly Line[], from: number, sign: Line["sign"]): number {
  let length = 0;
  while (lines[from + length]?.sign === sign) length += 1;
  return length;
}

/** Words, blanks and signs. */
const TOKENS = /(?<=\W)|(?=\W)/;

/** Undefined where most of the line has changed: marking all of it says nothing. */
function changedSpans(before: string, after: string, theme: Theme): [string, string] | undefined {
  if (before.length > COMPARED_CHARS_MAX || after.length > COMPARED_CHARS_MAX) return undefined;
  const changes = diffArrays(before.split(TOKENS), after.split(TOKENS)).map(({ added, removed, value }) => ({
    isAdded: added,
    isRemoved: removed,
    value: value.join(""),
  }));
  const same = changes.reduce(
    (sum, { isAdded, isRemoved, value }) => sum + (isAdded || isRemoved ? 0 : value.trim().length),
    0,
  );
  if (same * 3 < Math.max(before.trim().length, after.trim().length)) return undefined;
  const side = (isAfter: boolean) =>
    changes
      .filter(({ isAdded, isRemoved }) => (isAfter ? !isRemoved : !isAdded))
      .map(({ isAdded, isRemoved, value }) =>
        isAdded || isRemoved ? theme.paint(isAfter ? "addedWord" : "removedWord", value) : value,
      )
      .join("");
  return [side(false), side(true)];
}
