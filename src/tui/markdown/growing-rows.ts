/**
 * Rows of a text that mostly grows at its end: settled rows are not wrapped again. The result equals `wrapRows` of the
 * whole text.
 */
import { visibleWidth } from "@earendil-works/pi-tui";
import { createTerminalSafe, type TerminalSafe } from "../../kit/text/terminal-safe.ts";
import { RESET, WORD_WRAP_CHARS_MAX, wrapRows } from "./wrap-rows.ts";

const TAB = "    ";

const NBSP = "\u00a0";

/** The next word may still move the last row. */
const OPEN_ROWS = 2;

/** Fewer rows are not worth settling. */
const ROWS_MIN = 5;

/** A style may be open at the last rows. */
const TRIES = 3;

export class GrowingRows {
  #width = 0;
  #settledRows: string[] = [];
  #settledText = "";
  /** Includes the first open rows: their first word, which may be longer than a row, does not fit in the row before. */
  #provenText = "";

  render(text: string, width: number): string[] {
    // Beyond this length words are ignored, and settled rows would differ.
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

  /** The rest starts at a row that wraps the same without what precedes it: no style is open there. */
  #settle(rest: string, rows: readonly string[]): void {
    const plain = rest.replaceAll(NBSP, " ");
    for (let index = rows.length - OPEN_ROWS; index > Math.max(0, rows.length - OPEN_ROWS - TRIES); index--) {
      const begin = plain.lastIndexOf(withoutReset(rows[index] ?? ""));
      if (begin <= 0 || begin === plain.length) continue;
      const open = wrapRows(rest.slice(begin), this.#width);
      if (open.length !== rows.length - index || open.some((row, at) => row !== rows[index + at])) continue;
      for (const row of rows.slice(0, index)) this.#settledRows.push(row);
      const [first = "", second = ""] = open.map(withoutReset);
      const at = plain.indexOf(second, begin + first.length);
      this.#provenText = this.#settledText + (at < 0 ? rest : rest.slice(0, at + second.length));
      this.#settledText += rest.slice(0, begin);
      return;
    }
  }
}

/** As it stands in the text. */
function withoutReset(row: string): string {
  return row.endsWith(RESET) ? row.slice(0, -RESET.length) : row;
}

/** A single row keeps its trailing spaces; the last of many rows does not. */
function withoutLooseEnd(rest: string, width: number): string {
  return rest.replace(/^[^\n]*/, (line) => (visibleWidth(line) <= width ? line.trimEnd() : line));
}

/** Sanitises untrusted text that grows: only new text is processed, with the same result as all at once. */
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

/** Growing plain text: complete lines are wrapped once, only the last one again. */
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

  /** The array is reused by the next call. */
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
