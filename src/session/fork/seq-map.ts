/** Where the events of a session are in its copy. Copies keep the order, so only the places where the distance changes are kept. */
export class SeqMap {
  /** Rising, side by side: from this seq on, a copied event is this much further up front. */
  readonly #froms: number[] = [];
  readonly #shifts: number[] = [];
  #last = 0;
  #lastCopy = 0;

  /** Called in rising order. */
  note(seq: number, copySeq: number): void {
    if (this.#shifts.at(-1) !== copySeq - seq || seq !== this.#last + 1) {
      this.#froms.push(seq);
      this.#shifts.push(copySeq - seq);
    }
    this.#last = seq;
    this.#lastCopy = copySeq;
  }

  /** The copy of the first event at or after this one; one more than the last when nothing is. 0 stays 0. */
  firstFrom(seq: number): number {
    if (seq === 0) return 0;
    const at = this.#rangeAt(seq);
    const inside = at < 0 ? undefined : this.#inRange(at, seq);
    if (inside !== undefined) return inside;
    const next = this.#froms[at + 1];
    return next === undefined ? this.#lastCopy + 1 : next + (this.#shifts[at + 1] ?? 0);
  }

  /** The copy of the last event at or before this one; 0 when nothing is. */
  lastUpTo(seq: number): number {
    const at = this.#rangeAt(seq);
    if (at < 0) return 0;
    return this.#inRange(at, seq) ?? this.#endOf(at);
  }

  #rangeAt(seq: number): number {
    let low = 0;
    let high = this.#froms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#froms[middle] ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #inRange(at: number, seq: number): number | undefined {
    const copy = seq + (this.#shifts[at] ?? 0);
    return copy <= this.#endOf(at) ? copy : undefined;
  }

  /** A stretch without a hole ends where the next one begins, in the copy. */
  #endOf(at: number): number {
    const next = this.#froms[at + 1];
    return next === undefined ? this.#lastCopy : next + (this.#shifts[at + 1] ?? 0) - 1;
  }
}
