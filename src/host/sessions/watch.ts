/**
 * Live changes of the session list of a data directory. Sessions of this process report changes; those of other
 * processes are detected by their summary files and by a slow poll.
 * Guarantees: a listener first gets all sessions, then every one that is new, changed or gone; no cost without
 * listeners.
 */
import type { FSWatcher } from "node:fs";
import { watchDirectory } from "../../kit/files/watch-directory.ts";
import { isUlid } from "../../kit/ids.ts";
import type { Clock } from "../../kit/clock.ts";
import type { SessionNews, SessionSummary } from "../../protocol/index.ts";
import { sessionsDir } from "../data-dir.ts";
import type { SessionList } from "./list.ts";
import { hasOnlyGrown } from "./summary-file.ts";

/** Debounce of changes. */
const GATHER_MS = 50;
/** Interval for a session that only grows; a new title, state or message is published at once. */
const GROWTH_MS = 1_000;
/** Poll interval: a process that died reports nothing. */
const REFRESH_MS = 5_000;
/** The same without a working file watcher. */
const UNWATCHED_REFRESH_MS = 1_000;
/** Polling takes at most this share of the time, however many sessions there are. */
const REFRESH_TIME_SHARE = 1 / 20;
const META_FILE = /^([0-9A-Z]{26})\.meta\.json/;

export type NewsListener = (news: SessionNews) => void;

interface PublishedSummary {
  readonly summary: SessionSummary;
  readonly atMs: number;
}

export interface SessionWatchOptions {
  dataDir: string;
  list: Pick<SessionList, "read" | "readOne">;
  clock: Clock;
}

export class SessionWatch {
  readonly #options: SessionWatchOptions;
  readonly #listeners = new Set<NewsListener>();
  /** Listeners that have not received the full list yet. */
  readonly #fresh = new Set<NewsListener>();
  #published = new Map<string, PublishedSummary>();
  readonly #touched = new Set<string>();
  /** Cancels the delayed publication of growth, by session. */
  readonly #growing = new Map<string, () => void>();
  #isRefreshing = false;
  #refreshAtMs = 0;
  #wakeAtMs = Infinity;
  #cancelWake = () => {};
  #watcher: FSWatcher | undefined;

  constructor(options: SessionWatchOptions) {
    this.#options = options;
  }

  get isFollowed(): boolean {
    return this.#listeners.size > 0;
  }

  follow(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    this.#fresh.add(listener);
    this.#watcher ??= this.#watchFiles();
    this.#refreshAtMs = 0;
    this.#wakeIn(0);
    return () => {
      this.#listeners.delete(listener);
      this.#fresh.delete(listener);
      if (this.#listeners.size === 0) this.close();
    };
  }

  /** This process wrote to the session. */
  touch(sessionId: string): void {
    if (this.#listeners.size === 0 || this.#touched.has(sessionId)) return;
    this.#touched.add(sessionId);
    this.#wakeIn(GATHER_MS);
  }

  close(): void {
    this.#listeners.clear();
    this.#fresh.clear();
    this.#touched.clear();
    for (const cancel of this.#growing.values()) cancel();
    this.#growing.clear();
    this.#published = new Map();
    this.#cancelWake();
    this.#wakeAtMs = Infinity;
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #watchFiles(): FSWatcher | undefined {
    return watchDirectory(sessionsDir(this.#options.dataDir), {
      onChange: (name) => {
        const sessionId = META_FILE.exec(name)?.[1];
        if (sessionId !== undefined && isUlid(sessionId)) this.touch(sessionId);
      },
      onLost: (watcher) => {
        if (this.#watcher === watcher) this.#watcher = undefined;
      },
    });
  }

  #wakeIn(ms: number): void {
    const { clock } = this.#options;
    const atMs = clock.monotonic() + ms;
    if (this.#isRefreshing || atMs >= this.#wakeAtMs) return;
    this.#cancelWake();
    this.#wakeAtMs = atMs;
    this.#cancelWake = clock.after(ms, () => void this.#refresh());
  }

  async #refresh(): Promise<void> {
    const { clock } = this.#options;
    this.#wakeAtMs = Infinity;
    this.#isRefreshing = true;
    try {
      if (clock.monotonic() >= this.#refreshAtMs) await this.#refreshAll();
      else await this.#refreshTouched();
    } catch {
      // The directory is unreadable: poll again; the listeners keep what they have.
      this.#refreshAtMs = clock.monotonic() + UNWATCHED_REFRESH_MS;
    }
    this.#isRefreshing = false;
    if (this.#listeners.size === 0) return;
    if (this.#fresh.size > 0 && this.#refreshAtMs === 0) return this.#wakeIn(0);
    this.#wakeIn(Math.max(0, this.#refreshAtMs - clock.monotonic()));
    if (this.#touched.size > 0) this.#wakeIn(GATHER_MS);
  }

  async #refreshAll(): Promise<void> {
    const { list, clock } = this.#options;
    const startMs = clock.monotonic();
    const fresh = [...this.#fresh];
    this.#touched.clear();
    // Set before the await: a listener that joins meanwhile requests a refresh of its own.
    this.#refreshAtMs = Infinity;
    const sessions = await list.read();
    const nowMs = clock.monotonic();
    if (this.#refreshAtMs !== 0) {
      const everyMs = this.#watcher === undefined ? UNWATCHED_REFRESH_MS : REFRESH_MS;
      this.#refreshAtMs = nowMs + Math.max(everyMs, (nowMs - startMs) / REFRESH_TIME_SHARE);
    }
    const present = new Set(sessions.map(({ sessionId }) => sessionId));
    const gone = [...this.#published.keys()].filter((sessionId) => !present.has(sessionId));
    this.#publish(sessions, gone);
    const whole: SessionNews = { isWhole: true, changed: sessions, gone: [] };
    for (const listener of fresh) if (this.#fresh.delete(listener)) listener(whole);
  }

  async #refreshTouched(): Promise<void> {
    const ids = [...this.#touched];
    this.#touched.clear();
    const sessions: SessionSummary[] = [];
    const gone: string[] = [];
    for (const sessionId of ids) {
      const summaries = await this.#options.list.readOne(sessionId);
      sessions.push(...summaries);
      if (summaries.length === 0 && this.#published.has(sessionId)) gone.push(sessionId);
    }
    this.#publish(sessions, gone);
  }

  /** To all listeners but those that get the full list instead. */
  #publish(sessions: readonly SessionSummary[], gone: readonly string[]): void {
    const nowMs = this.#options.clock.monotonic();
    const changed = sessions.filter((summary) => this.#isNews(summary, nowMs));
    for (const summary of changed) this.#published.set(summary.sessionId, { summary, atMs: nowMs });
    for (const sessionId of gone) this.#published.delete(sessionId);
    if (changed.length === 0 && gone.length === 0) return;
    const news: SessionNews = { isWhole: false, changed, gone };
    for (const listener of this.#listeners) if (!this.#fresh.has(listener)) listener(news);
  }

  #isNews(summary: SessionSummary, nowMs: number): boolean {
    const published = this.#published.get(summary.sessionId);
    if (published === undefined) return true;
    if (JSON.stringify(published.summary) === JSON.stringify(summary)) return false;
    if (!hasOnlyGrown(published.summary, summary)) return true;
    const waitMs = published.atMs + GROWTH_MS - nowMs;
    if (waitMs > 0) this.#publishGrowthIn(waitMs, summary.sessionId);
    return waitMs <= 0;
  }

  #publishGrowthIn(ms: number, sessionId: string): void {
    if (this.#growing.has(sessionId)) return;
    const cancel = this.#options.clock.after(ms, () => {
      this.#growing.delete(sessionId);
      this.touch(sessionId);
    });
    this.#growing.set(sessionId, cancel);
  }
}
