/** File store behind the log's port: one JSONL file per session, its derived files and its blobs. */
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError, type Cursor, type EventDraft, type SessionEvent } from "../../protocol/index.ts";
import { Backlog, type Batch } from "./backlog.ts";
import { createBlobs } from "../files/blobs.ts";
import type { Appended, BlobStore, EventLog, RecoveryReport, SnapshotStore, StoreReport } from "../event-log.ts";
import { ensureDirectory } from "../files/directories.ts";
import type { FilePort, OpenFile } from "../files/file-port.ts";
import { Followers } from "./followers.ts";
import { indexFileOf, saveIndex, type LogHead } from "../reader/head.ts";
import { Health } from "./health.ts";
import { LogFile } from "./log-file.ts";
import type { OffsetIndex } from "../reader/offset-index.ts";
import type { SessionPaths } from "../files/paths.ts";
import { readEvents, type EventSource, knowsCursor } from "../reader/read-events.ts";
import { createSnapshots } from "../files/snapshots.ts";
import { Writer } from "./writer.ts";

/** Bytes appended before the index is saved again, which the next open has to scan. */
const INDEX_SAVE_BYTES = 8 * 1024 * 1024;
/** A shorter range is scanned faster than the index is saved. */
const INDEX_SAVE_BYTES_MIN = 1024 * 1024;
/** Limit for closing when the disk does not respond. */
const CLOSE_WAIT_MS = 5000;

export interface FileLogOptions {
  readonly files: FilePort;
  readonly clock: Clock;
  readonly paths: SessionPaths;
  readonly sessionId: string;
  readonly epoch: number;
  /** Open to append, cut to `head.end` and synced. */
  readonly file: OpenFile;
  readonly head: LogHead;
  readonly recovery: RecoveryReport;
}

export class FileLog implements EventLog {
  readonly sessionId: string;
  readonly epoch: number;
  readonly recovery: RecoveryReport;
  readonly snapshots: SnapshotStore;
  readonly blobs: BlobStore;
  committedSeq: number;
  readonly clock: Clock;
  readonly #options: FileLogOptions;
  readonly #index: OffsetIndex;
  readonly #health: Health;
  readonly #writer: Writer;
  readonly #followers: Followers;
  readonly #source: EventSource;
  /** End of the committed bytes; start and epoch of the last record. */
  #end: number;
  #lastStart: number;
  #lastEpoch: number;
  #indexedEnd: number;
  #isSavingIndex = false;
  readonly #file: LogFile;
  #readFile: OpenFile | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: FileLogOptions) {
    const { files, clock, paths, sessionId, epoch, file, head } = options;
    this.#options = options;
    this.sessionId = sessionId;
    this.epoch = epoch;
    this.clock = clock;
    this.recovery = options.recovery;
    this.committedSeq = head.seq;
    this.#index = head.index;
    this.#end = head.end;
    this.#lastStart = head.lastStart;
    this.#lastEpoch = head.epoch;
    this.#indexedEnd = head.end;
    const backlog = new Backlog();
    this.#health = new Health(() => backlog.bytes);
    this.#file = new LogFile({ files, path: paths.log, file, clock, onSlow: (isSlow) => this.#slow(isSlow) });
    this.#writer = new Writer({
      sessionId,
      epoch,
      seq: head.seq,
      file: this.#file,
      backlog,
      health: this.#health,
      clock,
      onWritten: (batch, offset) => this.#written(batch, offset),
      onCommitted: (batch, end) => this.#committed(batch, end),
    });
    this.#source = {
      sessionId,
      index: this.#index,
      openFile: () => this.#openToRead(),
      committedBytes: () => this.#end,
    };
    this.#followers = new Followers(this);
    const directory = paths.snapshots;
    const knows = (cursor: Cursor): Promise<boolean> => this.knows(cursor);
    const makeDirectory = (path: string) => () => ensureDirectory(files, path);
    this.snapshots = createSnapshots({
      files,
      directory,
      knows,
      prepare: makeDirectory(directory),
      onSaved: () => this.#saveIndexIfPossible(),
    });
    this.blobs = createBlobs({ files, directory: paths.blobs, prepare: makeDirectory(paths.blobs) });
  }

  append(drafts: readonly EventDraft[]): Appended {
    if (this.#closing !== undefined) throw this.#closedError();
    return this.#writer.append(drafts);
  }

  read(after: number): AsyncGenerator<SessionEvent[], void, void> {
    return readEvents(this.#source, after);
  }

  follow(after: number, listener: (events: readonly SessionEvent[]) => void | Promise<void>): () => void {
    return this.#followers.follow(after, listener);
  }

  knows(cursor: Cursor): Promise<boolean> {
    return knowsCursor(this.#source, { seq: this.committedSeq, openEpoch: this.epoch }, cursor);
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  written(): Promise<void> {
    return this.#writer.written();
  }

  /** Checks the path, because the log may have been moved since the last write. */
  get store(): StoreReport {
    const { report } = this.#health;
    const movedReason = report.state === "ok" ? this.#file.movedReason : undefined;
    return movedReason === undefined
      ? report
      : { ...report, state: "read-only", message: `The log cannot be written. ${movedReason}` };
  }

  onStore(listener: (report: StoreReport) => void): () => void {
    return this.#health.onChange(listener);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    let cancel: (() => void) | undefined;
    const patience = new Promise<void>((resolve) => (cancel = this.clock.after(CLOSE_WAIT_MS, resolve)));
    try {
      await Promise.race([this.#writer.flush(), patience]);
    } catch {
      // The disk fails: the writer rejects whatever waits for a commit.
    }
    cancel?.();
    if (!this.#health.isFailing && this.#end - this.#indexedEnd >= INDEX_SAVE_BYTES_MIN)
      await this.#saveIndexIfPossible();
    this.#writer.close();
    this.#followers.close();
    this.#readFile?.close();
    this.#readFile = undefined;
  }

  #openToRead(): OpenFile {
    if (this.#closing !== undefined) throw this.#closedError();
    return (this.#readFile ??= this.#options.files.openToRead(this.#options.paths.log));
  }

  #closedError(): RoundtableError {
    return new RoundtableError("closed", `The log of session ${this.sessionId} is closed.`);
  }

  #written(batch: Batch, offset: number): void {
    for (const [at, event] of batch.events.entries()) this.#index.note(event.seq, offset + (batch.starts[at] ?? 0));
  }

  #committed(batch: Batch, end: number): void {
    this.committedSeq = batch.lastSeq;
    this.#end = end;
    this.#lastStart = end - batch.bytes.length + (batch.starts.at(-1) ?? 0);
    this.#lastEpoch = this.epoch;
    this.#followers.publish(batch.events, batch.bytes.length);
    if (end - this.#indexedEnd >= INDEX_SAVE_BYTES) void this.#saveIndexIfPossible();
  }

  #slow(isSlow: boolean): void {
    if (isSlow) this.#health.slow(this.clock.now());
    else this.#health.notSlow();
  }

  async #saveIndexIfPossible(): Promise<void> {
    if (this.#isSavingIndex) return;
    this.#isSavingIndex = true;
    try {
      await this.#saveIndex();
    } catch {
      // Derived: without it the next open takes longer.
    } finally {
      this.#isSavingIndex = false;
    }
  }

  async #saveIndex(): Promise<void> {
    const { files, paths, recovery } = this.#options;
    const head = {
      seq: this.committedSeq,
      epoch: this.#lastEpoch,
      end: this.#end,
      lastStart: this.#lastStart,
      damages: [...recovery.damages],
      damageCount: recovery.damages.length,
    };
    this.#indexedEnd = head.end;
    await this.#writer.flush();
    await ensureDirectory(files, paths.snapshots);
    await saveIndex(files, indexFileOf(paths.snapshots), { ...head, index: this.#index });
  }
}
