/**
 * The thread that keeps the index, as the host sees it: started when it is needed, ended when nobody has needed it for a
 * while, started again after it died. Nothing here waits for the store.
 */
import { Worker } from "node:worker_threads";
import { fromAnswerError, RoundtableError, type SearchAnswer, type SearchQuery } from "../../protocol/index.ts";
import type { Entry, SessionRange } from "./indexing/entry.ts";
import { programUrl } from "./program-url.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** A thread keeps some twenty megabytes; one that nobody needs is ended after this time. */
const IDLE_MS = 15_000;
const CLOSE_MS = 2_000;
const RESTART_MS = 5_000;
/** What the thread has not taken yet, in characters; more is read from the logs later. */
const UNACKNOWLEDGED_CHARS_MAX = 16 * 1024 * 1024;
const SEARCHES_MAX = 100;
/** It works in small steps: more room for what is thrown away at once would only be kept. */
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
  /** The characters of each message that it has not taken yet, oldest first. */
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

  /** Starts the thread, which looks at once for what is missing. */
  start(): void {
    if (!this.#isClosed) this.#use();
  }

  /** False when too much waits already, or the thread has just died. */
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
      return Promise.reject(new RoundtableError("busy", `${SEARCHES_MAX} searches wait for their answer already.`));
    }
    const id = this.#nextId;
    this.#nextId += 1;
    const { promise, resolve, reject } = Promise.withResolvers<SearchAnswer>();
    this.#pending.set(id, { resolve, reject });
    this.#post({ kind: "search", id, query });
    return promise;
  }

  /** What was given is in the index afterwards, unless the store is slow: then it is read from the logs later. */
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
    // A process that has nothing else to do ends.
    worker.unref();
    worker.on("message", (message: FromWorker) => this.#onMessage(message));
    worker.on("error", (error) => this.#lose(worker, error as Error));
    worker.on("exit", () => this.#lose(worker, new Error("its thread has ended")));
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

  /** One that dies at once must not be started four times a second. */
  get #isResting(): boolean {
    return this.#worker === undefined && performance.now() - this.#lostAtMs < RESTART_MS;
  }

  #settle(id: number): PendingSearch | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** What it had not taken is missing from the index, which the next one finds out by itself. */
  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#lostAtMs = performance.now();
    this.#unacknowledged = [];
    this.#isWorking = false;
    this.#failAll(
      new RoundtableError("store_unavailable", `The search index cannot be used now: ${error.message}`, {
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
