/**
 * The thread's side of the index of a host: takes stretches as they come, answers searches, and reads what is missing in
 * between. A store that fails loses nothing: what could not be taken is read from the logs later.
 */
import type { Clock } from "../../kit/clock.ts";
import { SEARCH_LIMIT_DEFAULT, toAnswerError, type SearchAnswer, type SearchQuery } from "../../protocol/index.ts";
import { CatchUp } from "./indexing/catch-up.ts";
import type { SessionRange } from "./indexing/entry.ts";
import { SearchIndex } from "./indexing/search-index.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** Sessions of processes that do not keep the index themselves are found this often. */
const RESCAN_MS = 30_000;
/** While somebody searches, this often. */
const RESCAN_MS_MIN = 1_000;
/** Looking takes at most this share of the time, however many sessions there are. */
const RESCAN_TIME_SHARE = 1 / 20;
/** A store that failed is tried again after this time. */
const RETRY_MS = 5_000;
/** Rests are as long as the work, so that at most half a core is used. */
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
  /** A search after this time makes it look again. */
  #rescanAfterMs = 0;
  /** Which file of the index was compared with the logs. */
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
      // Full, or not ours to write just now. The sessions count as behind, which every answer says, until they are read.
      return [];
    }
  }

  #search(id: number, query: SearchQuery): void {
    const { send } = this.#options;
    try {
      send({ kind: "found", id, answer: this.#find(query) });
      // Others may have written since, and whoever searches searches again.
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

  /** A file that was deleted or damaged had more in it than the one that took its place. */
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
      // A search says what is wrong with the store; looking is tried again.
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
        // What failed is still behind, and tried again a little later.
        this.#cancelRescan?.();
        this.#cancelRescan = clock.after(RETRY_MS, () => this.#rescan());
      })
      .finally(() => {
        if (!this.#isClosed) send({ kind: "working", isWorking: false });
      });
  }
}
