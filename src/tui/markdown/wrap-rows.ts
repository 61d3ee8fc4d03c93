/** Styled text as independent rows: none wider than asked for, each closing its own styles. */
import {
  sliceByColumn,
  stripTerminalSequences,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";

const ESCAPE = "\u001b";
export const RESET = "\u001b[0m";
/** Keeps two words in one row. */
const NBSP = "\u00a0";
/** Longer lines are cut without word wrap, which would cost too much. */
export const WORD_WRAP_CHARS_MAX = 20_000;

/** Longer lines lose their styles when cut: each row would be scanned from the start of the line. */
const STYLED_CHARS_MAX = 4000;

/** Wraps at words. Never empty. */
export function wrapRows(text: string, width: number): string[] {
  if (text.length <= width && !text.includes("\n") && visibleWidth(text) <= width)
    return [closeRow(text.replaceAll(NBSP, " "), width)];
  if (!text.includes("\n")) return wrapLine(text, width);
  return text.split("\n").flatMap((line) => wrapLine(line, width));
}

/** The space at which a line was broken, behind the styles that begin the row. */
// oxlint-disable-next-line no-control-regex -- our own styles begin with one.
const BREAK = /^((?:\u001b\[[0-9;]*m|\u001b\]8;;[^\u001b]*\u001b\\)*) +/;

function wrapLine(line: string, width: number): string[] {
  if (line.length > WORD_WRAP_CHARS_MAX) return cutRows(line, width);
  const rows = CLOSING_MARK.test(line) ? wrapWithMarks(line, width) : wrapTextWithAnsi(line, width);
  return rows.map((row, index) =>
    closeRow((index === 0 ? row : row.replace(BREAK, "$1")).replaceAll(NBSP, " "), width),
  );
}

/** Closing marks of Chinese and Japanese, which never start a row. */
const CLOSING = "、。，．：；！？）］｝〉》」』】〕〗〙〛’”";
const CLOSING_MARK = new RegExp(`[${CLOSING}]`, "u");
/** A word or a wide character that must stay with the closing marks after it. */
const CLOSED = new RegExp(`(?:[\\w.-]+|[^\\s])[${CLOSING}]*$`, "u");
const MOVES_MAX = 64;

function wrapWithMarks(line: string, width: number): string[] {
  let text = line;
  let rows = wrapTextWithAnsi(text, width);
  for (let moves = 0; moves < MOVES_MAX; moves += 1) {
    const at = rows.findIndex((row, index) => index > 0 && CLOSING.includes(stripTerminalSequences(row)[0] ?? " "));
    const offset = at <= 0 ? undefined : breakOffset(text, rows.slice(0, at));
    if (offset === undefined) return rows;
    text = `${text.slice(0, offset)}\n${text.slice(offset)}`;
    rows = wrapTextWithAnsi(text, width);
  }
  return rows;
}

/** Offset of the last unit in these rows; undefined when it fills its row. */
function breakOffset(text: string, rows: readonly string[]): number | undefined {
  const plain = rows.map((row) => stripTerminalSequences(row).trimEnd());
  const last = plain.at(-1) ?? "";
  const closed = CLOSED.exec(last)?.[0] ?? "";
  if (closed === "" || closed.length === last.trimStart().length) return undefined;
  let left = plain.join("").replaceAll(/\s/g, "").length - closed.length;
  for (const { index, 0: part } of text.matchAll(STYLE_OR_CHARACTER)) {
    if (part.startsWith(ESCAPE) || /\s/.test(part)) continue;
    if (left <= 0) return index;
    left -= part.length;
  }
  return undefined;
}

// oxlint-disable-next-line no-control-regex -- our own styles begin with one.
const STYLE_OR_CHARACTER = /\u001b\[[0-9;]*m|\u001b\]8;;[^\u001b]*\u001b\\|[^]/gu;

/** Breaks exactly at the width, as for code and paths. Takes one line. */
export function cutRows(line: string, width: number): string[] {
  const whole = visibleWidth(line);
  if (whole <= width) return [closeRow(line, width)];
  if (whole === line.length) {
    const rows = [];
    for (let at = 0; at < line.length; at += width) rows.push(line.slice(at, at + width));
    return rows;
  }
  if (!line.includes(ESCAPE)) return cutWide(line, width);
  return line.length > STYLED_CHARS_MAX ? cutWide(stripTerminalSequences(line), width) : cutStyled(line, width, whole);
}

function cutStyled(line: string, width: number, whole: number): string[] {
  const rows: string[] = [];
  // A wide character that does not fit starts the next row, leaving a row one column short.
  for (let column = 0; column < whole;) {
    const row = sliceByColumn(line, column, width, true);
    const columns = visibleWidth(row);
    if (columns === 0) break;
    rows.push(closeRow(row, width));
    column += columns;
  }
  return rows;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function cutWide(line: string, width: number): string[] {
  const rows: string[] = [];
  let row = "";
  let columns = 0;
  for (const { segment } of graphemes.segment(line)) {
    const next = visibleWidth(segment);
    if (columns + next > width && row !== "") {
      rows.push(row);
      row = "";
      columns = 0;
    }
    row += segment;
    columns += next;
  }
  rows.push(row);
  return rows.map((one) => closeRow(one, width));
}

export function closeRow(row: string, width: number): string {
  const fitting = visibleWidth(row) <= width ? row : truncateToWidth(row, width, "");
  return fitting.includes(ESCAPE) && !fitting.endsWith(RESET) ? fitting + RESET : fitting;
}

/** One line, truncated with an ellipsis. */
export function oneRow(text: string, width: number): string {
  return closeRow(visibleWidth(text) <= width ? text : truncateToWidth(text, width, "…"), width);
}
