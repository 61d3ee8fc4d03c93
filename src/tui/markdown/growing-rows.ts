/**
 * Rows of one text that mostly grows at its end: those that no later word can move are not looked for again.
 * The same rows as `wrapRows` gives for the whole text.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import { createTerminalSafe, type TerminalSafe } from "../../kit/text/terminal-safe.ts";
import { WORD_WRAP_CHARS_MAX, wrapRows } from "./wrap-rows.ts";

const TAB = "    ";

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

/** Untrusted text that mostly grows at its end: only what is new is made safe, with the same result as all at once. */
interface Growth {
  /** True when the text before is void; `added` is then all of it. */
  readonly isReset: boolean;
  readonly added: string;
}

export class GrowingText {
  #consumed = "";
  #safe: TerminalSafe = createTerminalSafe();

  grow(text: string): Growth {
    const isReset = !text.startsWith(this.#consumed);
    if (isReset) this.#safe = createTerminalSafe();
    const suffix = isReset ? text : text.slice(this.#consumed.length);
    this.#consumed = text;
    return { isReset, added: this.#safe.push(suffix).replaceAll("\t", TAB) };
  }
}

/** Plain text that grows: finished lines are wrapped once, only the last one is redone. */
export class GrowingLines {
  readonly #text = new GrowingText();
  readonly #paint: (row: string) => string;
  readonly #lastRows = new GrowingRows();
  #finished: string[] = [];
  #last = "";
  #rows: string[] = [];
  #width = 0;
  #wrapped = 0;
  #wrappedRows = 0;
  #isCurrent = false;

  constructor(paint: (row: string) => string = (row) => row) {
    this.#paint = paint;
  }

  setText(text: string): void {
    const { isReset, added } = this.#text.grow(text);
    if (isReset) {
      this.#finished = [];
      this.#last = "";
      this.#width = 0;
    } else if (added === "") return;
    const lines = (this.#last + added).split("\n");
    this.#last = lines.pop() ?? "";
    for (const line of lines) this.#finished.push(line);
    this.#isCurrent = false;
  }

  /** The array is this object's own and is written again by the next call. */
  render(width: number): readonly string[] {
    if (this.#width !== width) {
      this.#rows = [];
      this.#wrapped = 0;
      this.#wrappedRows = 0;
      this.#width = width;
    } else if (this.#isCurrent) return this.#rows;
    const rows = this.#rows;
    rows.length = this.#wrappedRows;
    for (; this.#wrapped < this.#finished.length; this.#wrapped += 1)
      this.#push(wrapRows(this.#finished[this.#wrapped] ?? "", width));
    this.#wrappedRows = rows.length;
    if (this.#last !== "") this.#push(this.#lastRows.render(this.#last, width));
    this.#isCurrent = true;
    return rows;
  }

  #push(rows: readonly string[]): void {
    for (const row of rows) this.#rows.push(this.#paint(row));
  }
}
