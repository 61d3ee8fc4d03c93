/**
 * Host side of the index thread: started on demand, ended when idle, restarted after a crash. Never blocks on the
 * database.
 */
import { Worker } from "node:worker_threads";
import { fromAnswerError, RoundtableError, type SearchAnswer, type SearchQuery } from "../../protocol/index.ts";
import type { Entry, SessionRange } from "./indexing/entry.ts";
import type { FromWorker, ToWorker } from "./index-worker.ts";

/** An idle thread is ended after this time; it holds some twenty megabytes. */
const IDLE_MS = 15_000;
const CLOSE_MS = 2_000;
const RESTART_MS = 5_000;
/** Characters sent but not yet acknowledged; beyond this, sessions are read from their logs later. */
const UNACKNOWLEDGED_CHARS_MAX = 16 * 1024 * 1024;
const SEARCHES_MAX = 100;
/** The thread works in small steps and needs little; V8 would keep a larger heap once grown. */
const HEAP_MB_MAX = 96;
const YOUNG_MB_MAX = 16;

function charsOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { text }) => sum + text.length, 0);
}

interface PendingSearch {
  resolve(answer: SearchAnswer): void;
  reject(error: Error): void;
}

export class SearchThread {
  readonly #dataDir: string;
  readonly #pending = new Map<number, PendingSearch>();
  #worker: Worker | undefined;
  #nextId = 1;
  /** Characters of each unacknowledged message, oldest first. */
  #unacknowledged: number[] = [];
  #isWorking = false;
  #lostAtMs = -Infinity;
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /** Starts the thread, which scans for missing sessions at once. */
  start(): void {
    if (!this.#isClosed) this.#use();
  }

  /** False when the backlog is full or the thread has just crashed. */
  submit(ranges: readonly SessionRange[], behind: readonly string[]): boolean {
    const chars = ranges.reduce((sum, { entries }) => sum + charsOf(entries), 0);
    const waiting = this.#unacknowledged.reduce((sum, one) => sum + one, 0);
    if (this.#isClosed || this.#isResting || waiting + chars > UNACKNOWLEDGED_CHARS_MAX) return false;
    this.#unacknowledged.push(chars);
    this.#post({ kind: "take", ranges, behind });
    return true;
  }

  search(query: SearchQuery): Promise<SearchAnswer> {
    if (this.#isClosed) return Promise.reject(new RoundtableError("closed", "This process is shutting down."));
    if (this.#pending.size >= SEARCHES_MAX) {
      return Promise.reject(
        new RoundtableError("busy", `Too many searches are running (limit ${SEARCHES_MAX}). Try again.`),
      );
    }
    const id = this.#nextId;
    this.#nextId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>();
    this.#pending.set(id, { resolve, reject });
    this.#post({ kind: "search", id, query });
    return promise;
  }

  /** Waits until submitted ranges are written, within a timeout; the rest is read from the logs later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#end();
    this.#failAll(new RoundtableError("closed", "This process is shutting down."));
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const ended = Promise.withResolvers<void>();
    worker.once("exit", () => ended.resolve());
    worker.postMessage({ kind: "close" } satisfies ToWorker, []);
    const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
    await ended.promise;
    clearTimeout(timer);
  }

  #post(message: ToWorker): void {
    this.#use().postMessage(message, []);
  }

  #use(): Worker {
    this.#restIn();
    this.#worker ??= this.#startWorker();
    return this.#worker;
  }

  #startWorker(): Worker {
    const worker = new Worker(programUrl(), {
      workerData: { dataDir: this.#dataDir },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX, maxYoungGenerationSizeMb: YOUNG_MB_MAX },
      name: "search index",
    });
    // The thread must not keep the process alive.
    worker.unref();
    worker.on("message", (message: FromWorker) => this.#onMessage(message));
    worker.on("error", (error) => this.#lose(worker, error as Error));
    worker.on("exit", () => this.#lose(worker, new Error("its thread has exited")));
    return worker;
  }

  #onMessage(message: FromWorker): void {
    switch (message.kind) {
      case "taken":
        this.#unacknowledged.shift();
        return;
      case "working":
        this.#isWorking = message.isWorking;
        return;
      case "found":
        this.#settle(message.id)?.resolve(message.answer);
        return;
      case "failed":
        this.#settle(message.id)?.reject(fromAnswerError(message.error));
    }
  }

  /** Backoff: a thread that crashes at once must not be restarted four times a second. */
  get #isResting(): boolean {
    return this.#worker === undefined && performance.now() - this.#lostAtMs < RESTART_MS;
  }

  #settle(id: number): PendingSearch | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** Unacknowledged ranges are missing from the index; the next thread's scan finds them. */
  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#lostAtMs = performance.now();
    this.#unacknowledged = [];
    this.#isWorking = false;
    this.#failAll(
      new RoundtableError("store_unavailable", `The search index is unavailable: ${error.message}`, {
        cause: error,
      }),
    );
  }

  #failAll(error: RoundtableError): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #restIn(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => {
      if (this.#isWorking || this.#unacknowledged.length > 0 || this.#pending.size > 0) return this.#restIn();
      void this.#end();
    }, IDLE_MS);
    this.#idleTimer.unref();
  }
}

/** Path of the worker program: beside this file in a checkout, beside the bundle otherwise. */
function programUrl(): URL {
  const isCheckout = import.meta.url.endsWith("/search/search-thread.ts");
  return new URL(isCheckout ? "program.ts" : "search-index.js", import.meta.url);
}
