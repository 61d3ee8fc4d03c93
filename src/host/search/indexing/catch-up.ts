/**
 * Brings the index up to the logs: sessions of other processes and versions, those written while the index was gone, and
 * those that are gone from the disk. Works in small steps with rests, so that a search or a stretch that comes meanwhile
 * waits for one step at most. Reading takes no lock.
 */
import type { Clock } from "../../../kit/clock.ts";
import { openLogReader, type LogReader } from "../../../log/index.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import { createStatLog, listSessionIds, type LogStat, type StatLog } from "../../sessions/log-files.ts";
import { readRanges } from "./read-ranges.ts";
import { EMPTY_STATE } from "./read-entries.ts";
import type { SearchIndex } from "./search-index.ts";
import type { IndexUpdate } from "./write-entries.ts";

/** What goes into the index in one step, and so how long others wait: some tens of milliseconds. */
const STEP_ENTRIES_MAX = 400;
const STEP_CHARS_MAX = 512 * 1024;
/** Sessions that cannot be read are tried again when their log has changed; so many of them are remembered. */
const UNREADABLE_MAX = 10_000;

export interface CatchUpOptions {
  readonly dataDir: string;
  readonly index: SearchIndex;
  readonly clock: Clock;
  /** How long to rest after a step that took this long. */
  readonly restMs: (stepMs: number) => number;
}

export class CatchUp {
  readonly #options: CatchUpOptions;
  readonly #statLog: StatLog;
  /** Sessions to be read, in the order they were found. */
  readonly #behind = new Set<string>();
  readonly #gone = new Set<string>();
  /** By session, the log that could not be read. */
  readonly #unreadable = new Map<string, LogStat>();
  #working: Promise<void> | undefined;
  #isStopped = false;
  /** What was read and is not in the index yet. */
  #updates: IndexUpdate[] = [];
  #entries = 0;
  #chars = 0;

  constructor(options: CatchUpOptions) {
    this.#options = options;
    this.#statLog = createStatLog(options.dataDir);
  }

  get sessionsLeft(): number {
    return this.#behind.size;
  }

  get isWorking(): boolean {
    return this.#working !== undefined;
  }

  /** Compares all logs with the index; the newest sessions come first. */
  scan(): void {
    const { dataDir, index } = this.#options;
    const ids = listSessionIds(dataDir);
    const known = index.logs();
    for (const sessionId of ids.toReversed()) {
      const log = this.#statLog(sessionId);
      if (log !== undefined && this.#isBehind(sessionId, log, known.get(sessionId))) this.#behind.add(sessionId);
    }
    const there = new Set(ids);
    for (const sessionId of known.keys()) if (!there.has(sessionId)) this.#gone.add(sessionId);
  }

  add(sessionId: string): void {
    this.#behind.add(sessionId);
  }

  /** Resolves when nothing is left, or the time is over. A fault of the index itself rejects; the next call goes on. */
  work(untilMs = Infinity): Promise<void> {
    this.#working ??= this.#workOn(untilMs).finally(() => (this.#working = undefined));
    return this.#working;
  }

  stop(): void {
    this.#isStopped = true;
  }

  #isBehind(sessionId: string, log: LogStat, known: LogStat | undefined): boolean {
    if (log.size === 0) return false;
    const failed = this.#unreadable.get(sessionId);
    if (failed?.size === log.size && failed.mtimeMs === log.mtimeMs) return false;
    return known?.size !== log.size || known.mtimeMs !== log.mtimeMs;
  }

  async #workOn(untilMs: number): Promise<void> {
    const { index, clock } = this.#options;
    const isOver = () => this.#isStopped || clock.monotonic() >= untilMs;
    let { generation } = index;
    for (const sessionId of this.#gone) {
      if (isOver()) return;
      // It may have been brought back since.
      if (this.#statLog(sessionId) === undefined) await this.#forget(sessionId);
      this.#gone.delete(sessionId);
    }
    for (const sessionId of this.#behind) {
      if (isOver() || !(await this.#readSession(sessionId, isOver))) break;
      // The file was deleted or damaged meanwhile: what was in it is missing from the new one.
      if (index.generation !== generation) this.scan();
      ({ generation } = index);
    }
    await this.#flush();
  }

  /** False when the time is over before its end. */
  async #readSession(sessionId: string, isOver: () => boolean): Promise<boolean> {
    const { dataDir } = this.#options;
    const log = this.#statLog(sessionId);
    if (log === undefined) {
      await this.#forget(sessionId);
      return this.#behind.delete(sessionId);
    }
    let reader: LogReader | undefined;
    try {
      reader = await openLogReader({ dataDir, sessionId });
      return await this.#readLog(reader, log, isOver);
    } catch (error) {
      if (!(error instanceof RoundtableError) || !isLogError(error)) throw error;
      // A log of another version, or one that cannot be read: the others are still found.
      if (this.#unreadable.size < UNREADABLE_MAX) this.#unreadable.set(sessionId, log);
      return this.#behind.delete(sessionId);
    } finally {
      await reader?.close();
    }
  }

  async #readLog(reader: LogReader, log: LogStat, isOver: () => boolean): Promise<boolean> {
    const { index } = this.#options;
    const { sessionId } = reader;
    // Somebody began to forget it, and then it was brought back.
    if (index.isLeaving(sessionId)) await this.#forget(sessionId);
    const known = index.session(sessionId);
    // After a power cut other events may stand where the index has lost ones.
    const isSame = known === undefined || (await reader.knows({ epoch: known.epoch, seq: known.seq }));
    if (!isSame) await this.#forget(sessionId);
    const start = isSame && known !== undefined ? known : { seq: 0, state: EMPTY_STATE };
    for await (const range of readRanges(reader, start)) {
      // The size from before it was read: a log that has grown since is behind again, never ahead.
      const isWhole = range.upTo === reader.committedSeq;
      this.#updates.push({ range, ...(isWhole ? { log } : {}) });
      this.#entries += range.entries.length;
      this.#chars += range.entries.reduce((sum, { text }) => sum + text.length, 0);
      if (this.#entries >= STEP_ENTRIES_MAX || this.#chars >= STEP_CHARS_MAX) await this.#flush();
      if (isOver()) return isWhole;
    }
    return true;
  }

  /** What could not be taken because something before it is missing is found at the next look. */
  async #flush(): Promise<void> {
    const updates = this.#updates;
    this.#updates = [];
    this.#entries = 0;
    this.#chars = 0;
    if (updates.length === 0) return;
    const written = await this.#step(() => this.#options.index.write(updates));
    for (const [at, { range, log }] of updates.entries()) {
      if (log !== undefined || written[at] === false) this.#behind.delete(range.sessionId);
    }
  }

  async #forget(sessionId: string): Promise<void> {
    const { index } = this.#options;
    for (let isDone = false; !isDone;) isDone = await this.#step(() => index.forgetSome(sessionId));
  }

  async #step<Result>(work: () => Result): Promise<Result> {
    const { clock, restMs } = this.#options;
    const begunMs = clock.monotonic();
    const result = work();
    const rest = restMs(clock.monotonic() - begunMs);
    await new Promise<void>((resolve) => (rest > 0 ? clock.after(rest, resolve) : setImmediate(resolve)));
    return result;
  }
}

function isLogError({ code }: RoundtableError): boolean {
  return code === "version_mismatch" || code === "unknown_session" || code === "internal";
}
