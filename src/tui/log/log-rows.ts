/**
 * All rows of the log: lead, messages, tail. Messages are measured by rendering them, only when about to be visible.
 */
import { RowHeights } from "./row-heights.ts";

/** Before the first message: what was cleared, or a hint. */
export const LEAD = -1;
/** After the last message: members about to speak. */
export const TAIL = Number.MAX_SAFE_INTEGER;

export interface RowSource {
  /** The current rows of the message at this position, or of LEAD or TAIL. */
  rowsOf(key: number, width: number): readonly string[];
}

/** A message in view. */
export interface Slot {
  readonly key: number;
  /** Screen row of its first row; negative above the view. */
  readonly top: number;
  readonly rows: readonly string[];
  /** Number of rows when drawn: a streaming panel may append to its array. */
  readonly height: number;
}

export class LogRows {
  readonly #heights = new RowHeights();
  readonly #source: RowSource;
  #first = 0;
  #width = 0;
  #leadRows = 0;
  #tailRows = 0;

  constructor(source: RowSource) {
    this.#source = source;
  }

  get width(): number {
    return this.#width;
  }

  /** Without the blank row after the last message. */
  get total(): number {
    const total = this.#leadRows + this.#heights.total + this.#tailRows;
    return this.#endsBlank ? total - 1 : total;
  }

  get #endsBlank(): boolean {
    if (this.#tailRows > 0) return this.#source.rowsOf(TAIL, this.#width).at(-1) === "";
    let key = this.#heights.count - 1;
    while (key >= this.#first && this.#heights.heightAt(key) === 0) key -= 1;
    return key >= this.#first && this.#heights.endsBlank(key);
  }

  /** First key of the log. */
  get startKey(): number {
    return this.#leadRows > 0 ? LEAD : this.#first;
  }

  /** False for a message that is hidden or absent. */
  holds(key: number): boolean {
    return key === LEAD || key === TAIL || (key >= this.#first && key < this.#heights.count);
  }

  isMeasured(key: number): boolean {
    return key === LEAD || key === TAIL || this.#heights.isMeasured(key);
  }

  restart(): void {
    this.#heights.reset(0, 0);
    this.#first = 0;
  }

  remeasure(): void {
    this.#heights.reset(this.#heights.count, this.#first);
  }

  /** Costs time for new messages only. */
  update(count: number, first: number): void {
    this.#heights.grow(count);
    if (first <= this.#first) return;
    this.#first = first;
    this.#heights.hideBefore(first);
  }

  /** Another width discards all heights. */
  setWidth(width: number): void {
    if (width !== this.#width) this.#heights.reset(this.#heights.count, this.#first);
    this.#width = width;
    this.#leadRows = this.#source.rowsOf(LEAD, width).length;
    this.#tailRows = this.#source.rowsOf(TAIL, width).length;
  }

  /** Number of rows before this message. */
  before(key: number): number {
    if (key === LEAD) return 0;
    return this.#leadRows + (key === TAIL ? this.#heights.total : this.#heights.rowsBefore(key));
  }

  /** The message at a row, and the offset in it. */
  find(row: number): { readonly key: number; readonly offset: number } | undefined {
    if (row < 0 || row >= this.total) return undefined;
    if (row < this.#leadRows) return { key: LEAD, offset: row };
    const inMessages = row - this.#leadRows;
    if (inMessages >= this.#heights.total) return { key: TAIL, offset: inMessages - this.#heights.total };
    const key = this.#heights.indexAt(inMessages);
    return { key, offset: inMessages - this.#heights.rowsBefore(key) };
  }

  /** The rows of the message; its height is exact from now on. */
  measure(key: number): readonly string[] {
    const rows = this.#source.rowsOf(key, this.#width);
    if (key === LEAD || key === TAIL) return rows;
    this.#heights.measure(key, rows.length, rows.length > 1 && rows.at(-1) === "");
    return rows;
  }

  /** Measures messages above this one until they fill this many rows. */
  measureAbove(key: number, rows: number): void {
    const from = key === TAIL ? this.#heights.count - 1 : key - 1;
    for (let at = from, left = rows; at >= this.#first && left > 0; at -= 1) left -= this.measure(at).length;
  }

  /** Measures messages below this one until they fill this many rows. */
  measureBelow(key: number, rows: number): void {
    if (key === TAIL) return;
    const from = Math.max(this.#first, key + 1);
    for (let at = from, left = rows; at < this.#heights.count && left > 0; at += 1) left -= this.measure(at).length;
  }

  measureFromEnd(rows: number): void {
    this.measureAbove(TAIL, rows - this.#tailRows);
  }

  measureFromStart(rows: number): void {
    this.measureBelow(LEAD, rows - this.#leadRows);
  }

  /** Messages in `viewRows` rows from this one on. */
  slots(top: number, viewRows: number): Slot[] {
    const slots: Slot[] = [];
    const bottom = Math.min(top + viewRows, this.total);
    for (let row = top; row < bottom;) {
      const target = this.find(row);
      if (target === undefined) break;
      const rows = this.#source.rowsOf(target.key, this.#width);
      slots.push({ key: target.key, top: row - target.offset - top, rows, height: rows.length });
      row += Math.max(1, this.#heightOf(target.key) - target.offset);
    }
    return slots;
  }

  #heightOf(key: number): number {
    if (key === LEAD) return this.#leadRows;
    return key === TAIL ? this.#tailRows : this.#heights.heightAt(key);
  }
}
