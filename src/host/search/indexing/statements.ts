/** The statements of a database, prepared once each, and transactions around them. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export type Row = Record<string, unknown>;
type Value = SQLInputValue;

export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  run(sql: string, ...values: Value[]): void {
    const statement = this.#prepare(sql);
    // The rows that the full-text index writes beside ours have numbers that only a bigint holds.
    statement.setReadBigInts(true);
    statement.run(...values);
  }

  /** Not within itself: there is one of each statement. */
  iterate(sql: string, ...values: Value[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values);
  }

  /** All of it or nothing, and nobody else writes meanwhile. */
  write<Result>(work: () => Result): Result {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    this.#prepared.set(sql, made);
    return made;
  }
}
