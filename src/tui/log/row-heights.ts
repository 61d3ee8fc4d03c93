/**
 * How many rows each message takes: measured ones exactly, all others by the same guess, so a hundred thousand
 * messages cost two numbers each and no work until they come near the view. Sums are kept in a Fenwick tree.
 */

/** What a message takes that has not been drawn yet. Only the thumb of a scrollbar would see that it is a guess. */
export const ESTIMATED_ROWS = 6;
const FIRST_CAPACITY = 256;

export class RowHeights {
  #count = 0;
  #heights = new Int32Array(FIRST_CAPACITY);
  /** 1-based: `#sums[i]` is the sum of the `i & -i` heights that end with the i-th. */
  #sums = new Float64Array(FIRST_CAPACITY + 1);
  #measured = new Uint8Array(FIRST_CAPACITY);
  #total = 0;
  /** Below it nothing is shown; those heights are 0. */
  #first = 0;

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.#total;
  }

  heightAt(index: number): number {
    return this.#heights[index] ?? 0;
  }

  isMeasured(index: number): boolean {
    return this.#measured[index] === 1;
  }

  /** Messages from `from` up to `count` are new and guessed. */
  grow(count: number): void {
    const from = this.#count;
    if (count <= from) return;
    this.#reserve(count);
    this.#heights.fill(ESTIMATED_ROWS, from, count);
    this.#count = count;
    if (count - from > from) this.#rebuild();
    else for (let index = from; index < count; index += 1) this.#appendSum(index);
  }

  /** Forgets all measures, as after a change of the width; hides what lies before `first`. */
  reset(count: number, first: number): void {
    this.#reserve(count);
    this.#count = count;
    this.#first = Math.min(first, count);
    this.#heights.fill(0, 0, this.#first);
    this.#heights.fill(ESTIMATED_ROWS, this.#first, count);
    this.#measured.fill(0);
    this.#rebuild();
  }

  hideBefore(first: number): void {
    if (first <= this.#first) return;
    this.#first = Math.min(first, this.#count);
    this.#heights.fill(0, 0, this.#first);
    this.#measured.fill(0, 0, this.#first);
    this.#rebuild();
  }

  measure(index: number, height: number): void {
    this.#measured[index] = 1;
    const change = height - this.heightAt(index);
    if (change === 0) return;
    this.#heights[index] = height;
    this.#total += change;
    for (let node = index + 1; node <= this.#count; node += node & -node) this.#sums[node]! += change;
  }

  /** Rows before the message. */
  rowsBefore(index: number): number {
    let sum = 0;
    for (let node = Math.min(index, this.#count); node > 0; node -= node & -node) sum += this.#sums[node]!;
    return sum;
  }

  /** The message that holds this row; the last one for a row beyond the end. */
  indexAt(row: number): number {
    let index = 0;
    let left = row;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#count))); step >= 1; step /= 2) {
      const next = index + step;
      if (next <= this.#count && this.#sums[next]! <= left) {
        index = next;
        left -= this.#sums[next]!;
      }
    }
    return Math.max(0, Math.min(index, this.#count - 1));
  }

  #appendSum(index: number): void {
    const node = index + 1;
    const start = node - (node & -node);
    this.#sums[node] = this.rowsBefore(index) - this.rowsBefore(start) + this.heightAt(index);
    this.#total += this.heightAt(index);
  }

  #rebuild(): void {
    this.#total = 0;
    for (let index = 0; index < this.#count; index += 1) {
      this.#sums[index + 1] = this.#heights[index]!;
      this.#total += this.#heights[index]!;
    }
    for (let node = 1; node <= this.#count; node += 1) {
      const parent = node + (node & -node);
      if (parent <= this.#count) this.#sums[parent]! += this.#sums[node]!;
    }
  }

  #reserve(count: number): void {
    if (count <= this.#heights.length) return;
    const capacity = Math.max(count, this.#heights.length * 2);
    const [heights, sums, measured] = [
      new Int32Array(capacity),
      new Float64Array(capacity + 1),
      new Uint8Array(capacity),
    ];
    heights.set(this.#heights);
    sums.set(this.#sums);
    measured.set(this.#measured);
    [this.#heights, this.#sums, this.#measured] = [heights, sums, measured];
  }
}
