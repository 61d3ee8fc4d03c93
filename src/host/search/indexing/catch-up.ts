/**
 * Synchronises the index with the logs: adds sessions of other processes and those written while the index was missing,
 * removes those that are gone from disk. Works in small steps with pauses, so that a search or write waits for one step
 * at most. Takes no lock.
 */
import type { Clock } from "../../../kit/clock.ts";
import { type LogReader, openLogReader } from "../../../log/index.ts";
import { RoundtableError } from "../../../protocol/index.ts";
import { createStatLog, listSessionIds, type LogStat, type StatLog } from "../../sessions/log-files.ts";
import type { Entry, ReadingState, SessionRange } from "./entry.ts";
import { EMPTY_STATE, EntryReader } from "./read-entries.ts";
import type { SearchIndex } from "./search-index.ts";
import type { IndexUpdate } from "./write-entries.ts";

/** Size of one step, which others wait for: some tens of milliseconds. */
const STEP_ENTRIES_MAX = 400;
const STEP_CHARS_MAX = 512 * 1024;
/** Unreadable logs that are remembered; they are tried again when they change. */
const UNREADABLE_MAX = 10_000;

export interface CatchUpOptions {
  readonly dataDir: string;
  readonly index: SearchIndex;
  readonly clock: Clock;
  /** Pause after a step that took this long. */
  readonly restMs: (stepMs: number) => number;
}

export class CatchUp {
  readonly #options: CatchUpOptions;
  readonly #statLog: StatLog;
  /** Sessions to read, in discovery order. */
  readonly #behind = new Set<string>();
  readonly #gone = new Set<string>();
  /** Stat of the log that could not be read, by session. */
  readonly #unreadable = new Map<string, LogStat>();
  #working: Promise<void> | undefined;
  #isStopped = false;
  /** Read, but not in the index yet. */
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

  /** Compares all logs with the index; queues the newest sessions first. */
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

  /** Resolves when nothing is left or the time is up. An error of the index rejects; the next call continues. */
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
      // It may have been restored since.
      if (this.#statLog(sessionId) === undefined) await this.#forget(sessionId);
      this.#gone.delete(sessionId);
    }
    for (const sessionId of this.#behind) {
      if (isOver() || !(await this.#readSession(sessionId, isOver))) break;
      // The index file was deleted or damaged meanwhile: the new one lacks its content.
      if (index.generation !== generation) this.scan();
      ({ generation } = index);
    }
    await this.#flush();
  }

  /** False when the time is up before the end of the log. */
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
      // A log of another version or a damaged one must not keep the others out of the index.
      if (this.#unreadable.size < UNREADABLE_MAX) this.#unreadable.set(sessionId, log);
      return this.#behind.delete(sessionId);
    } finally {
      await reader?.close();
    }
  }

  async #readLog(reader: LogReader, log: LogStat, isOver: () => boolean): Promise<boolean> {
    const { index } = this.#options;
    const { sessionId } = reader;
    // A removal had begun when the session was restored.
    if (index.isLeaving(sessionId)) await this.#forget(sessionId);
    const known = index.session(sessionId);
    // After a power cut the log may have other events at seqs that the index already has.
    const isSame = known === undefined || (await reader.knows({ epoch: known.epoch, seq: known.seq }));
    if (!isSame) await this.#forget(sessionId);
    const start = isSame && known !== undefined ? known : { seq: 0, state: EMPTY_STATE };
    for await (const range of readRanges(reader, start)) {
      // The size from before reading: a log that has grown since counts as behind, never as ahead.
      const isWhole = range.upTo === reader.committedSeq;
      this.#updates.push({ range, ...(isWhole ? { log } : {}) });
      this.#entries += range.entries.length;
      this.#chars += range.entries.reduce((sum, { text }) => sum + text.length, 0);
      if (this.#entries >= STEP_ENTRIES_MAX || this.#chars >= STEP_CHARS_MAX) await this.#flush();
      if (isOver()) return isWhole;
    }
    return true;
  }

  /** Ranges refused because earlier events are missing are found again by the next scan. */
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

const ENTRIES_MAX = 400;
const CHARS_MAX = 512 * 1024;
/** A call that has been open for more events than this is not read again for its streamed output. */
const REREAD_MAX = 100_000;

interface RangeStart {
  readonly seq: number;
  readonly state: ReadingState;
}

/** Splits a log into ranges from where the index stands, each small enough for one transaction. */
async function* readRanges(
  log: LogReader,
  { seq: start, state }: RangeStart = { seq: 0, state: EMPTY_STATE },
): AsyncGenerator<SessionRange, void, void> {
  const reader = new EntryReader(state);
  let after = start;
  let entries: Entry[] = [];
  let chars = 0;
  let last = { seq: start, epoch: log.epoch };
  const flush = (): SessionRange => {
    const range = {
      sessionId: log.sessionId,
      after,
      upTo: last.seq,
      epoch: last.epoch,
      entries,
      state: reader.state,
    };
    after = last.seq;
    entries = [];
    chars = 0;
    return { ...range, ...reader.drainFacts() };
  };
  for await (const events of log.read(readFrom(start, state))) {
    for (const event of events) {
      const newEntries = reader.read(event);
      if (event.seq <= start) continue;
      last = { seq: event.seq, epoch: event.epoch };
      for (const entry of newEntries) {
        entries.push(entry);
        chars += entry.text.length;
      }
      if (entries.length >= ENTRIES_MAX || chars >= CHARS_MAX) yield flush();
    }
  }
  // Also without new events: the empty range records that the log was read to its end.
  if (last.seq > after || after === start) yield flush();
}

/** Output of open calls is read again: the index stores only where they began. */
function readFrom(start: number, { calls }: ReadingState): number {
  const first = Math.min(start, ...Object.values(calls).map((seq) => seq - 1));
  return start - first > REREAD_MAX ? start : first;
}
