/**
 * How many rows each message takes: measured ones exactly, all others by the same guess. Only what differs from the
 * guess is kept (in a Fenwick tree, so that sums are quick), and a session of a hundred thousand messages costs nothing
 * until one of them comes near the view.
 */

/** Estimated rows of a message that was not rendered yet. */
export const ESTIMATED_ROWS = 6;
const FIRST_CAPACITY = 256;

const Measured = { no: 0, yes: 1, endsBlank: 2 } as const;

export class RowHeights {
  #count = 0;
  /** Difference of each height from the estimate. */
  #changes = new Int32Array(FIRST_CAPACITY);
  /** 1-based: `#sums[i]` is the sum of the `i & -i` changes that end with the i-th. */
  #sums = new Float64Array(FIRST_CAPACITY + 1);
  /** A `Measured` each. */
  #measured = new Uint8Array(FIRST_CAPACITY);
  #changed = 0;
  #hasMeasured = false;
  /** Earlier messages are hidden; their height is 0. */
  #first = 0;

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.#guessed(this.#count) + this.#changed;
  }

  heightAt(index: number): number {
    return index < this.#first || index >= this.#count ? 0 : ESTIMATED_ROWS + this.#changes[index]!;
  }

  isMeasured(index: number): boolean {
    return this.#measured[index]! > Measured.no;
  }

  /** It was measured, and its last row is blank. */
  endsBlank(index: number): boolean {
    return this.#measured[index] === Measured.endsBlank;
  }

  /** Adds messages up to `count` with the estimate. */
  grow(count: number): void {
    if (count <= this.#count) return;
    this.#reserve(count);
    const from = this.#count;
    this.#count = count;
    // A new node also sums older messages; without measurements there is nothing to sum.
    if (!this.#hasMeasured) return;
    for (let node = from + 1; node <= count; node += 1) {
      this.#sums[node] = this.#changesBefore(node - 1) - this.#changesBefore(node - (node & -node));
    }
  }

  /** Discards all measurements, as after a change of width; hides messages before `first`. */
  reset(count: number, first: number): void {
    this.#reserve(count);
    this.#count = count;
    this.#first = Math.min(first, count);
    this.#changes.fill(0);
    this.#sums.fill(0);
    this.#measured.fill(0);
    this.#changed = 0;
    this.#hasMeasured = false;
  }

  hideBefore(first: number): void {
    if (first <= this.#first) return;
    const hidden = Math.min(first, this.#count);
    for (let index = this.#first; index < hidden; index += 1) this.#change(index, 0);
    this.#measured.fill(0, 0, hidden);
    this.#first = hidden;
  }

  measure(index: number, height: number, endsBlank = false): void {
    this.#measured[index] = endsBlank ? Measured.endsBlank : Measured.yes;
    this.#hasMeasured = true;
    this.#change(index, height - ESTIMATED_ROWS);
  }

  /** Rows before the message. */
  rowsBefore(index: number): number {
    const upTo = Math.min(index, this.#count);
    return this.#guessed(upTo) + this.#changesBefore(upTo);
  }

  /** The message at this row; the last one beyond the end. */
  indexAt(row: number): number {
    let index = 0;
    let left = row;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#count))); step >= 1; step /= 2) {
      const next = index + step;
      if (next > this.#count) continue;
      const rows = this.#guessed(next) - this.#guessed(index) + this.#sums[next]!;
      if (rows > left) continue;
      index = next;
      left -= rows;
    }
    return Math.max(0, Math.min(index, this.#count - 1));
  }

  #guessed(upTo: number): number {
    return ESTIMATED_ROWS * Math.max(0, upTo - this.#first);
  }

  #changesBefore(index: number): number {
    let sum = 0;
    for (let node = index; node > 0; node -= node & -node) sum += this.#sums[node]!;
    return sum;
  }

  #change(index: number, change: number): void {
    const more = change - this.#changes[index]!;
    if (more === 0) return;
    this.#changes[index] = change;
    this.#changed += more;
    for (let node = index + 1; node <= this.#count; node += node & -node) this.#sums[node]! += more;
  }

  #reserve(count: number): void {
    if (count <= this.#changes.length) return;
    const capacity = Math.max(count, this.#changes.length * 2);
    const [changes, sums, measured] = [
      new Int32Array(capacity),
      new Float64Array(capacity + 1),
      new Uint8Array(capacity),
    ];
    changes.set(this.#changes);
    sums.set(this.#sums);
    measured.set(this.#measured);
    [this.#changes, this.#sums, this.#measured] = [changes, sums, measured];
  }
}
