/**
 * Worker side of a host's index: writes ranges as they arrive, answers searches, and reads missing sessions in between.
 * When a write fails nothing is lost: the session is read from its log later.
 */
import type { Clock } from "../../kit/clock.ts";
import {
  type AnswerError,
  SEARCH_LIMIT_DEFAULT,
  type SearchAnswer,
  type SearchQuery,
  toAnswerError,
} from "../../protocol/index.ts";
import { CatchUp } from "./indexing/catch-up.ts";
import type { SessionRange } from "./indexing/entry.ts";
import { SearchIndex } from "./indexing/search-index.ts";

/** Interval of scans for sessions that other processes wrote without indexing them. */
const RESCAN_MS = 30_000;
/** The same while there are searches. */
const RESCAN_MS_MIN = 1_000;
/** Scans take at most this share of the time, however many sessions there are. */
const RESCAN_TIME_SHARE = 1 / 20;
/** Retry delay after a failed scan or write. */
const RETRY_MS = 5_000;
/** Pauses are as long as the work before them, so that at most half a core is used; capped here. */
const REST_MS_MAX = 200;

export interface IndexWorkerOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly send: (message: FromWorker) => void;
}

export class IndexWorker {
  readonly #options: IndexWorkerOptions;
  readonly #index: SearchIndex;
  readonly #catchUp: CatchUp;
  #hasScanned = false;
  /** A search after this time triggers a scan. */
  #rescanAfterMs = 0;
  /** Generation of the index file that was compared with the logs. */
  #generation = 0;
  #cancelRescan: (() => void) | undefined;
  #isClosed = false;

  constructor(options: IndexWorkerOptions) {
    this.#options = options;
    const { dataDir, clock } = options;
    this.#index = new SearchIndex(dataDir);
    const restMs = (stepMs: number) => Math.min(REST_MS_MAX, stepMs);
    this.#catchUp = new CatchUp({ dataDir, index: this.#index, clock, restMs });
    this.#cancelRescan = clock.after(0, () => this.#rescan());
  }

  onMessage(message: ToWorker): void {
    switch (message.kind) {
      case "take":
        return this.#write(message.ranges, message.behind);
      case "search":
        return this.#search(message.id, message.query);
      case "close":
        return this.close();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRescan?.();
    this.#catchUp.stop();
    this.#index.close();
  }

  #write(ranges: readonly SessionRange[], behind: readonly string[]): void {
    for (const sessionId of behind) this.#catchUp.add(sessionId);
    const written = this.#tryWrite(ranges);
    for (const [at, { sessionId }] of ranges.entries()) if (written[at] !== true) this.#catchUp.add(sessionId);
    this.#options.send({ kind: "taken" });
    this.#rescanIfRecreated();
    if (this.#catchUp.sessionsLeft > 0) this.#work();
  }

  #tryWrite(ranges: readonly SessionRange[]): boolean[] {
    try {
      return this.#index.write(ranges.map((range) => ({ range })));
    } catch {
      // Disk full or database busy. The sessions count as behind, which every answer reports, until they are read.
      return [];
    }
  }

  #search(id: number, query: SearchQuery): void {
    const { send } = this.#options;
    try {
      send({ kind: "found", id, answer: this.#find(query) });
      // Other processes may have written since, and users search repeatedly.
      if (this.#options.clock.monotonic() >= this.#rescanAfterMs) this.#rescan();
    } catch (error) {
      send({ kind: "failed", id, error: toAnswerError(error) });
    }
  }

  #find(query: SearchQuery): SearchAnswer {
    if (!this.#hasScanned) this.#rescan();
    const result = this.#index.find({ ...query, limit: query.limit ?? SEARCH_LIMIT_DEFAULT });
    this.#rescanIfRecreated();
    const { sessionsLeft } = this.#catchUp;
    return { ...result, isComplete: sessionsLeft === 0, sessionsLeft };
  }

  /** A recreated file lacks what the deleted or damaged one contained. */
  #rescanIfRecreated(): void {
    if (this.#hasScanned && this.#index.generation !== this.#generation) this.#rescan();
  }

  #rescan(): void {
    const { clock } = this.#options;
    this.#cancelRescan?.();
    const begunMs = clock.monotonic();
    let nextMs = RETRY_MS;
    try {
      this.#catchUp.scan();
      this.#hasScanned = true;
      this.#generation = this.#index.generation;
      const costMs = clock.monotonic() - begunMs;
      nextMs = Math.max(RESCAN_MS, costMs / RESCAN_TIME_SHARE);
      this.#rescanAfterMs = begunMs + Math.max(RESCAN_MS_MIN, costMs / RESCAN_TIME_SHARE);
    } catch {
      // The next search reports the error; the scan is retried.
    }
    this.#cancelRescan = clock.after(nextMs, () => this.#rescan());
    this.#work();
  }

  #work(): void {
    const { clock, send } = this.#options;
    if (this.#catchUp.isWorking || this.#isClosed) return;
    send({ kind: "working", isWorking: true });
    this.#catchUp
      .work()
      .catch(() => {
        // The sessions are still behind and retried later.
        this.#cancelRescan?.();
        this.#cancelRescan = clock.after(RETRY_MS, () => this.#rescan());
      })
      .finally(() => {
        if (!this.#isClosed) send({ kind: "working", isWorking: false });
      });
  }
}

export type ToWorker =
  | { readonly kind: "take"; readonly ranges: readonly SessionRange[]; readonly behind: readonly string[] }
  | { readonly kind: "search"; readonly id: number; readonly query: SearchQuery }
  | { readonly kind: "close" };

export type FromWorker =
  /** The oldest "take" is in the index, or its sessions are marked as behind. */
  | { readonly kind: "taken" }
  | { readonly kind: "found"; readonly id: number; readonly answer: SearchAnswer }
  | { readonly kind: "failed"; readonly id: number; readonly error: AnswerError }
  /** Whether it is reading sessions from their logs. */
  | { readonly kind: "working"; readonly isWorking: boolean };
