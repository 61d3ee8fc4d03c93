/**
 * Summaries of all stored sessions, in the memory of a node and at most a second old. Callers filter them by rights.
 */
import type { Clock } from "../../kit/clock.ts";
import { createFreshRead } from "../../kit/fresh-read.ts";
import type { SessionSummary } from "../../protocol/index.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";

const REFRESH_MS = 1_000;
/** Full reload interval: shorter than the time for which the database remembers deletions. */
const WHOLE_MS = 20 * 60_000;

export interface DirectoryEntry {
  readonly sessionId: string;
  readonly runnerId: string;
  readonly answersOpen: boolean;
  readonly summary: SessionSummary;
  /** A new value after every change. */
  readonly version: number;
}

export interface DirectoryNews {
  readonly changed: readonly DirectoryEntry[];
  readonly gone: readonly string[];
}

export class SessionDirectory {
  readonly #store: Pick<PostgresStore, "directory">;
  readonly #clock: Clock;
  readonly #listeners = new Set<(news: DirectoryNews) => void>();
  #entries = new Map<string, DirectoryEntry>();
  #ofRunners = new Map<string, Set<string>>();
  #version = 0;
  #changedTs = 0;
  #wholeMs = -Infinity;
  #cancel = (): void => {};
  #isClosed = false;
  /** Resolves when everything stored before the call has been read. */
  readonly refresh = createFreshRead(() => this.#read());

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

  get entries(): Iterable<DirectoryEntry> {
    return this.#entries.values();
  }

  /** Sessions of these runners. */
  ofRunners(ids: Iterable<string>): DirectoryEntry[] {
    const entries: DirectoryEntry[] = [];
    for (const id of ids)
      for (const sessionId of this.#ofRunners.get(id) ?? []) {
        const entry = this.#entries.get(sessionId);
        if (entry !== undefined) entries.push(entry);
      }
    return entries;
  }

  get(sessionId: string): DirectoryEntry | undefined {
    return this.#entries.get(sessionId);
  }

  /** Finds sessions that are new on another node, too. */
  async find(sessionId: string): Promise<DirectoryEntry | undefined> {
    if (!this.#entries.has(sessionId)) await this.refresh();
    return this.#entries.get(sessionId);
  }

  /** Called after every read. */
  onRead(listener: (news: DirectoryNews) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #read(): Promise<void> {
    const isWhole = this.#clock.monotonic() - this.#wholeMs >= WHOLE_MS;
    const { rows, gone } = await this.#store.directory(isWhole ? undefined : this.#changedTs);
    const before = this.#entries;
    if (isWhole) {
      this.#entries = new Map();
      this.#ofRunners = new Map();
      this.#wholeMs = this.#clock.monotonic();
    }
    const changed: DirectoryEntry[] = [];
    for (const { runnerId, answersOpen, summary, changedTs } of rows) {
      const { sessionId } = summary;
      const known = before.get(sessionId);
      this.#changedTs = Math.max(this.#changedTs, changedTs);
      const isSame =
        known?.answersOpen === answersOpen &&
        known.runnerId === runnerId &&
        JSON.stringify(known.summary) === JSON.stringify(summary);
      const entry = isSame ? known : { sessionId, runnerId, answersOpen, summary, version: (this.#version += 1) };
      this.#entries.set(sessionId, entry);
      const own = this.#ofRunners.get(runnerId) ?? new Set();
      this.#ofRunners.set(runnerId, own.add(sessionId));
      if (!isSame) changed.push(entry);
    }
    const left = isWhole ? [...before.keys()].filter((id) => !this.#entries.has(id)) : [];
    const removed = [...gone.filter((id) => this.#remove(id)), ...left];
    for (const listener of this.#listeners) listener({ changed, gone: removed });
  }

  #remove(sessionId: string): boolean {
    this.#ofRunners.get(this.#entries.get(sessionId)?.runnerId ?? "")?.delete(sessionId);
    return this.#entries.delete(sessionId);
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(REFRESH_MS, () => {
      // While the database is unavailable, the next interval tries again.
      void this.refresh()
        .catch(() => {})
        .finally(() => {
          if (!this.#isClosed) this.#schedule();
        });
    });
  }
}
