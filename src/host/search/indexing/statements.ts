/** Cached prepared statements of a database, and transactions. */
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
    // Row ids of the full-text index's own tables exceed the safe integers.
    statement.setReadBigInts(true);
    statement.run(...values);
  }

  /** Must not be nested for the same SQL: the prepared statement is shared. */
  iterate(sql: string, ...values: Value[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values);
  }

  /** Runs `work` in an exclusive write transaction. */
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
