/**
 * The bottom of an append-only screen: finished lines scroll away above it and are never touched again; the line that
 * still grows, and the footer with the input, are drawn anew with each change, in one synchronised write.
 * The rows it draws are counted, so it must be the only one that writes to the terminal.
 */
import { textWidth, wrapRows } from "./text-width.ts";

export interface Footer {
  /** Rows that fit the width; already safe, may be styled. */
  readonly rows: readonly string[];
  /** Where the cursor stands: row of the footer, cell in it. */
  readonly cursor: { readonly row: number; readonly cell: number };
}

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

const BEGIN = "\u001b[?2026h\u001b[?25l";
const END = "\u001b[?25h\u001b[?2026l";
const ERASE_BELOW = "\u001b[J";
/** A row that is wider than we thought is cut, not wrapped: the count of rows stays right. */
const WRAP_OFF = "\u001b[?7l";
const WRAP_ON = "\u001b[?7h";

export class LiveArea {
  readonly #terminal: Terminal;
  readonly #footer: (columns: number) => Footer;
  /** Complete lines that are not on the screen yet. */
  #finished = "";
  /** The line that still grows. */
  #partial = "";
  #drawn: { widths: readonly number[]; cursorRow: number } = { widths: [], cursorRow: 0 };
  #isScheduled = false;
  #isClosed = false;

  constructor(terminal: Terminal, footer: (columns: number) => Footer) {
    this.#terminal = terminal;
    this.#footer = footer;
  }

  /** The next piece of what is printed. */
  append(text: string): void {
    const all = this.#partial + text;
    const end = all.lastIndexOf("\n") + 1;
    this.#finished += all.slice(0, end);
    this.#partial = all.slice(end);
    this.redraw();
  }

  /** A whole line of our own, above the line that still grows. */
  note(line: string): void {
    this.#finished += `${line}\n`;
    this.redraw();
  }

  /** Soon, once for all changes of this moment. */
  redraw(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (!this.#isClosed) this.#draw();
    });
  }

  /** Takes the footer away; what was printed stays, and the cursor stands on a line of its own below it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const rest = this.#partial === "" ? "" : `${this.#partial}\n`;
    this.#terminal.write(`${BEGIN}${this.#erase()}${this.#finished}${rest}${END}`);
  }

  #draw(): void {
    const columns = Math.max(1, this.#terminal.columns);
    const footer = this.#footer(columns);
    const room = Math.max(0, this.#terminal.rows - footer.rows.length - 1);
    const growing = this.#partial === "" || room === 0 ? [] : wrapRows(this.#partial, columns).slice(-room);
    const rows = [...growing, ...footer.rows];
    const cursorRow = growing.length + footer.cursor.row;
    const up = rows.length - 1 - cursorRow;
    const out = [
      BEGIN,
      this.#erase(),
      this.#finished,
      WRAP_OFF,
      rows.join("\r\n"),
      WRAP_ON,
      up > 0 ? `\u001b[${up}A` : "",
      "\r",
      footer.cursor.cell > 0 ? `\u001b[${footer.cursor.cell}C` : "",
      END,
    ];
    this.#finished = "";
    this.#drawn = { widths: rows.map((row) => textWidth(withoutStyle(row))), cursorRow };
    this.#terminal.write(out.join(""));
  }

  /** From the cursor up to the first row that was drawn, which a narrower window may have broken into several. */
  #erase(): string {
    const { widths, cursorRow } = this.#drawn;
    const columns = Math.max(1, this.#terminal.columns);
    const above = widths.slice(0, cursorRow).reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    this.#drawn = { widths: [], cursorRow: 0 };
    return `\r${above > 0 ? `\u001b[${above}A` : ""}${ERASE_BELOW}`;
  }
}

function withoutStyle(row: string): string {
  // oxlint-disable-next-line no-control-regex -- our own colour sequences begin with it.
  return row.replaceAll(/\u001b\[[\d;]*m/g, "");
}
