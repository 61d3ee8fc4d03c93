/**
 * The lines of all stored sessions, in memory of a node and at most a second old. Who may see which of them is decided by
 * whoever reads it.
 */
import type { Clock } from "../../kit/clock.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";

const REFRESH_MS = 1_000;
/** Lines that are gone are noticed when all of them are read again. */
const WHOLE_MS = 30_000;

export interface DirectoryEntry {
  readonly sessionId: string;
  readonly runnerId: string;
  readonly answersOpen: boolean;
  readonly summary: SessionSummary;
  /** Grows with every change. */
  readonly version: number;
}

export class SessionDirectory {
  readonly #store: Pick<PostgresStore, "directory">;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #entries = new Map<string, DirectoryEntry>();
  #version = 0;
  #changedTs = 0;
  #wholeMs = -Infinity;
  #reading: Promise<void> | undefined;
  #cancel = (): void => {};
  #isClosed = false;

  private constructor(store: Pick<PostgresStore, "directory">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  static async open(store: Pick<PostgresStore, "directory">, clock: Clock): Promise<SessionDirectory> {
    const directory = new SessionDirectory(store, clock);
    await directory.refresh();
    directory.#schedule();
    return directory;
  }

  get version(): number {
    return this.#version;
  }

  get entries(): Iterable<DirectoryEntry> {
    return this.#entries.values();
  }

  get(sessionId: string): DirectoryEntry | undefined {
    return this.#entries.get(sessionId);
  }

  /** A session that is new on another node is found too. */
  async find(sessionId: string): Promise<DirectoryEntry | undefined> {
    if (!this.#entries.has(sessionId)) await this.refresh();
    return this.#entries.get(sessionId);
  }

  /** Called after every read. */
  onRead(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #read(): Promise<void> {
    const isWhole = this.#clock.monotonic() - this.#wholeMs >= WHOLE_MS;
    const { rows, total } = await this.#store.directory(isWhole ? undefined : this.#changedTs);
    const before = this.#entries;
    if (isWhole) {
      this.#entries = new Map();
      this.#wholeMs = this.#clock.monotonic();
    }
    for (const { runnerId, answersOpen, summary, changedTs } of rows) {
      const { sessionId } = summary;
      const known = before.get(sessionId);
      const isSame = known?.answersOpen === answersOpen && JSON.stringify(known.summary) === JSON.stringify(summary);
      const version = isSame ? known.version : (this.#version += 1);
      this.#entries.set(sessionId, { sessionId, runnerId, answersOpen, summary, version });
      this.#changedTs = Math.max(this.#changedTs, changedTs);
    }
    // Some are gone: which ones is not told.
    if (this.#entries.size > total && !isWhole) {
      this.#wholeMs = -Infinity;
      return await this.#read();
    }
    if (this.#entries.size < before.size) this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(REFRESH_MS, () => {
      // A database that is away is asked again.
      void this.refresh()
        .catch(() => {})
        .finally(() => {
          if (!this.#isClosed) this.#schedule();
        });
    });
  }
}
