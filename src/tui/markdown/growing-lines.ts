/** Plain text that grows: finished lines are wrapped once, only the last one is redone. */
import { GrowingRows } from "./growing-rows.ts";
import { GrowingText } from "./growing-text.ts";
import { wrapRows } from "./wrap-rows.ts";

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
