/** Untrusted text as rows: sanitised first, and only the visible part. */
import { terminalSafe } from "../../kit/text/terminal-safe.ts";
import { cutRows, wrapRows } from "../markdown/wrap-rows.ts";

/** Maximum rows of something expanded. */
export const OPEN_ROWS_MAX = 2000;

export interface Shown {
  readonly rows: readonly string[];
  /** Number of lines not shown. */
  readonly hiddenLines: number;
}

/** Wraps at words. */
export function wordRows(text: string, width: number): string[] {
  return wrapRows(tidy(text), width);
}

/** The beginning of a text, line by line. */
export function firstRows(text: string, width: number, rowsMax: number): Shown {
  const whole = text.trimEnd();
  let end = -1;
  for (let line = 0; line < rowsMax; line += 1) {
    end = whole.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  const cut = Math.min(end < 0 ? whole.length : end, width * rowsMax * CHARS_PER_COLUMN);
  const rows = lineRows(whole.slice(0, cut), width);
  const isWhole = rows.length <= rowsMax && cut === whole.length;
  return { rows: rows.slice(0, rowsMax), hiddenLines: isWhole ? 0 : Math.max(1, newlines(whole, cut, whole.length)) };
}

/** The end of a text, from the start of a line, so that half an escape sequence is not shown as text. */
export function lastRows(text: string, width: number, rowsMax: number): Shown {
  const whole = text.trimEnd();
  let newline = whole.length;
  for (let line = 0; line < rowsMax && newline > 0; line += 1) newline = whole.lastIndexOf("\n", newline - 1);
  const from = Math.max(newline <= 0 ? 0 : newline + 1, whole.length - width * rowsMax * CHARS_PER_COLUMN);
  const rows = lineRows(whole.slice(from), width);
  const isWhole = rows.length <= rowsMax && from === 0;
  return { rows: rows.slice(-rowsMax), hiddenLines: isWhole ? 0 : Math.max(1, newlines(whole, 0, from)) };
}

/** Graphemes can have many combining marks; more than this per column is cut. */
const CHARS_PER_COLUMN = 8;

function lineRows(text: string, width: number): string[] {
  return tidy(text)
    .split("\n")
    .flatMap((line) => cutRows(line, width));
}

function tidy(text: string): string {
  return terminalSafe(text).replaceAll("\t", "    ");
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
