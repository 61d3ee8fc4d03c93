/** Notices above the input, until the next action or a timeout. */
import { wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Clock } from "../../../kit/clock.ts";
import { terminalSafe, terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { GlyphName } from "../../theme/glyphs.ts";
import { oneRow } from "../../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../../theme/theme.ts";

const NOTES_MAX = 4;
const LINES_MAX = 10;
const ROWS_PER_NOTE_MAX = 4;
/** Enough to read two lines. Errors stay until the next action. */
const SHOWN_MS = 12_000;

/** A glyph says what the colour does. */
const MARKS: Partial<Record<Tone, GlyphName>> = { bad: "failed", ok: "ok", ask: "needsYou" };

interface Note {
  readonly text: string;
  readonly tone: Tone;
}

export class Notes {
  #notes: readonly Note[] = [];
  #lines: readonly string[] = [];
  /** True once something was submitted. */
  #isUsed = false;
  readonly #clock: Clock;
  readonly #onChange: () => void;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  add(text: string, tone: Tone = "quiet"): void {
    const note = { text: terminalSafeLine(text), tone };
    this.#notes = [...this.#notes.filter((one) => one.text !== note.text), note].slice(-NOTES_MAX);
    if (tone !== "bad") this.#clock.after(SHOWN_MS, () => this.#drop(note));
    this.#onChange();
  }

  /** Shows introductory lines as they are, unless something was submitted already. */
  showLines(lines: readonly string[]): void {
    if (this.#isUsed) return;
    this.#lines = lines.slice(0, LINES_MAX).map((line) => terminalSafe(line).replaceAll("\n", " "));
    this.#onChange();
  }

  /** Removes a notice that no longer applies. */
  remove(text: string): void {
    const shown = terminalSafeLine(text);
    for (const note of this.#notes) if (note.text === shown) this.#drop(note);
  }

  clear(): void {
    this.#isUsed = true;
    this.#notes = [];
    this.#lines = [];
  }

  /** With `rowsMax` the newest, where rows are few. */
  rows(theme: Theme, width: number, rowsMax = Infinity): string[] {
    const lines = this.#lines.flatMap((line) =>
      hungRows(line, width - 2).map((row) => ` ${theme.paint("quiet", row)}`),
    );
    const notes = this.#notes.flatMap(({ text, tone }) => {
      const mark = MARKS[tone];
      const rows = wrapTextWithAnsi(
        `${mark === undefined ? "" : `${theme.glyph(mark)} `}${text}`,
        Math.max(1, width - 2),
      );
      const rowCount = Math.min(ROWS_PER_NOTE_MAX, rowsMax);
      const shown = rows.slice(0, rowCount);
      if (rows.length > rowCount)
        shown[rowCount - 1] = oneRow(rows.slice(rowCount - 1).join(" "), Math.max(1, width - 2));
      return shown.map((row) => ` ${theme.paint(tone, row)}`);
    });
    return [...lines, ...notes].slice(-rowsMax);
  }

  #drop(note: Note): void {
    if (!this.#notes.includes(note)) return;
    this.#notes = this.#notes.filter((one) => one !== note);
    this.#onChange();
  }
}

/** "  found      claude (…)": wraps below the second column, or slightly indented when narrow. */
function hungRows(line: string, width: number): string[] {
  const columns = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line)?.[0] ?? "";
  const first = columns.length * 2 <= width ? columns : "";
  const rows = wrapTextWithAnsi(line.slice(first.length), Math.max(1, width - first.length));
  return rows.map((row, at) => (at === 0 ? first : " ".repeat(first.length)) + row);
}
