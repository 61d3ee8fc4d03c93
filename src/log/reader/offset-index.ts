/**
 * Offsets of every 256th record, so that reading can start in the middle of a long log. Derived, verified at every use.
 */
import type { ScanStart } from "./scan.ts";

const RECORDS_PER_ENTRY = 256;

export class OffsetIndex {
  readonly #seqs: number[] = [];
  readonly #offsets: number[] = [];

  /** Called with records in ascending order; stores one in 256. */
  note(seq: number, offset: number): void {
    if (seq < (this.#seqs.at(-1) ?? 1 - RECORDS_PER_ENTRY) + RECORDS_PER_ENTRY) return;
    this.#seqs.push(seq);
    this.#offsets.push(offset);
  }

  /** Where to start reading for this seq: a record at or before it, or the beginning. */
  find(seq: number): ScanStart {
    let low = 0;
    let high = this.#seqs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#seqs[middle] ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    const at = this.#seqs[low - 1];
    if (at === undefined) return { offset: 0, seq: 0, epoch: 0 };
    return { offset: this.#offsets[low - 1] ?? 0, seq: at - 1, epoch: 0 };
  }

  /** Called when it was found wrong; it fills again as the log is read. */
  clear(): void {
    this.#seqs.length = 0;
    this.#offsets.length = 0;
  }

  entries(): number[] {
    return this.#seqs.flatMap((seq, at) => [seq, this.#offsets[at] ?? 0]);
  }

  load(entries: readonly number[]): void {
    this.clear();
    for (let at = 0; at + 1 < entries.length; at += 2) this.note(entries[at] ?? 0, entries[at + 1] ?? 0);
  }
}
