/**
 * Rows of one text that mostly grows at its end: those that no later word can move are not looked for again.
 * The same rows as `wrapRows` gives for the whole text.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import { WORD_WRAP_CHARS_MAX, wrapRows } from "./wrap-rows.ts";

const ESCAPE = "\u001b";
/** Rows at the end that stay open: the next word may still move the last. */
const OPEN_ROWS = 2;
/** Fewer rows than this are not worth looking for the place where they begin. */
const ROWS_MIN = 5;

export class GrowingRows {
  #width = 0;
  #settledRows: string[] = [];
  #settledText = "";
  /** The first open row too: its first word is why it is not in the row before. */
  #provenText = "";

  render(text: string, width: number): string[] {
    // From there on words do not count, and rows that were made with them would stay.
    if (text.length > WORD_WRAP_CHARS_MAX) return wrapRows(text, width);
    if (width !== this.#width || !text.startsWith(this.#provenText)) this.#forget(width);
    const rest = text.slice(this.#settledText.length);
    const rows = wrapRows(this.#isWithinLine() ? withoutLooseEnd(rest, width) : rest, width);
    const all = [...this.#settledRows, ...rows];
    if (rows.length >= ROWS_MIN) this.#settle(rest, rows);
    return all;
  }

  #isWithinLine(): boolean {
    return this.#settledText !== "" && !this.#settledText.endsWith("\n");
  }

  #forget(width: number): void {
    this.#width = width;
    this.#settledRows = [];
    this.#settledText = "";
    this.#provenText = "";
  }

  /** A row without any style begins where nothing before it matters any more, if what follows is the same without it. */
  #settle(rest: string, rows: readonly string[]): void {
    const index = rows.findLastIndex((row, at) => at <= rows.length - OPEN_ROWS && row !== "" && !row.includes(ESCAPE));
    if (index <= 0) return;
    const charsBefore = rows.slice(0, index).reduce((sum, row) => sum + (row.includes(ESCAPE) ? 0 : row.length), 0);
    const begin = rest.indexOf(rows[index] ?? "", charsBefore);
    if (begin <= 0) return;
    const open = wrapRows(rest.slice(begin), this.#width);
    if (open.length !== rows.length - index || open.some((row, at) => row !== rows[index + at])) return;
    for (const row of rows.slice(0, index)) this.#settledRows.push(row);
    this.#settledText += rest.slice(0, begin);
    this.#provenText = this.#settledText + open[0];
  }
}

/** A line of one row keeps the spaces at its end; the last of many rows does not. */
function withoutLooseEnd(rest: string, width: number): string {
  return rest.replace(/^[^\n]*/, (line) => (visibleWidth(line) <= width ? line.trimEnd() : line));
}
