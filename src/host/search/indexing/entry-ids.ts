/** Gives ids out in the order of time, for one transaction. A second that is full goes on in the next. */
import { firstIdAt, IDS_A_SECOND } from "./schema.ts";
import type { Statements } from "./statements.ts";

export class EntryIds {
  readonly #statements: Statements;
  /** The next free id of each second that was looked at, by its first id. */
  readonly #next = new Map<number, number>();
  /** Where a full second went on. */
  readonly #later = new Map<number, number>();

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  allocate(ts: number): number {
    const wanted = firstIdAt(ts);
    let second = this.#later.get(wanted) ?? wanted;
    while (this.#nextIn(second) >= second + IDS_A_SECOND) second += IDS_A_SECOND;
    if (second !== wanted) this.#later.set(wanted, second);
    const id = this.#nextIn(second);
    this.#next.set(second, id + 1);
    return id;
  }

  #nextIn(second: number): number {
    const known = this.#next.get(second);
    if (known !== undefined) return known;
    const row = this.#statements.get(
      "SELECT max(id) AS id FROM entry WHERE id >= ? AND id < ?",
      second,
      second + IDS_A_SECOND,
    );
    const last = row?.["id"];
    const next = typeof last === "number" ? last + 1 : second;
    this.#next.set(second, next);
    return next;
  }
}
