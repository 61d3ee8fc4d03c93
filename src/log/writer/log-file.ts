/**
 * Bytes of one log on disk, for its only writer. Tracks how many are in the file and how many are synced, and keeps the
 * unsynced ones in memory, because a failed sync may have dropped them.
 *
 * Guarantees: after any error the file is cut back to complete records before anything else is written. A file whose
 * sync failed is never synced again; it is reopened, and unsynced bytes are written again. Nothing is written when
 * the path no longer leads to the opened file.
 */
import type { Clock } from "../../kit/clock.ts";
import type { FileFacts, FilePort, OpenFile } from "../files/file-port.ts";

export interface LogFileOptions {
  readonly files: FilePort;
  readonly path: string;
  readonly file: OpenFile;
  readonly clock: Clock;
  /** Called when a sync takes longer than a second, and when it has ended. */
  readonly onSlow: (isSlow: boolean) => void;
}

const SLOW_SYNC_MS = 1000;

/**
 * In two steps: when this process was suspended, the first one is late and a sync that completed meanwhile is handled
 * before the second, so that the disk is not blamed.
 */
function afterTwoSteps(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel = clock.after(ms / 2, () => {
    cancel = clock.after(ms / 2, callback);
  });
  return () => cancel();
}

export class LogFile {
  /** Bytes of complete records in the file. */
  length: number;
  syncedLength: number;
  readonly #options: LogFileOptions;
  readonly #identity: FileFacts;
  #file: OpenFile;
  #unsynced: Buffer[] = [];
  #hasHalfLine = false;
  #isDead = false;
  #causeOfDeath: unknown;
  #syncing: Promise<void> | undefined;

  constructor(options: LogFileOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#identity = options.file.stat();
    this.length = this.#identity.size;
    this.syncedLength = this.length;
  }

  /** True after a failed sync, until `replace` has succeeded. */
  get isDead(): boolean {
    return this.#isDead;
  }

  get unsyncedBytes(): number {
    return this.length - this.syncedLength;
  }

  /** One write for the whole batch. When it throws, the file is unchanged, or restored before the next write. */
  write(bytes: Buffer): void {
    this.#assertNotMoved();
    if (this.#hasHalfLine) this.#cutHalfLine();
    // A short count without an error is retried once; the next error says why.
    if (this.#writeOnce(bytes) < bytes.length && this.#writeOnce(bytes) < bytes.length) throw shortWrite(bytes.length);
    this.length += bytes.length;
    this.#unsynced.push(bytes);
  }

  #writeOnce(bytes: Buffer): number {
    this.#hasHalfLine = true;
    try {
      const count = this.#file.write(bytes);
      if (count === bytes.length) this.#hasHalfLine = false;
      return count;
    } finally {
      if (this.#hasHalfLine) this.#tryCutHalfLine();
    }
  }

  #tryCutHalfLine(): void {
    try {
      this.#cutHalfLine();
    } catch {
      // The error of the write is reported; the partial line is cut before the next write.
    }
  }

  #cutHalfLine(): void {
    this.#file.truncate(this.length);
    this.#hasHalfLine = false;
  }

  /** Syncs everything written so far, after a sync that is in progress. Rejects on failure; the file is dead then. */
  async sync(): Promise<void> {
    while (this.#syncing !== undefined) await this.#syncing;
    if (this.#isDead) throw this.#causeOfDeath;
    const upTo = this.length;
    if (upTo === this.syncedLength) return;
    await this.#watched(this.#file).catch((error: unknown) => this.#die(error));
    this.#forgetSynced(upTo);
  }

  /** After a failed sync: reopens the file, cuts it to its synced length and writes the rest again. */
  async replace(): Promise<void> {
    this.#assertNotMoved();
    const file = this.#options.files.openToAppend(this.#options.path);
    try {
      const { size } = file.stat();
      if (size < this.syncedLength) throw new Error(`${this.#options.path} is shorter than its synced length`);
      const bytes = Buffer.concat(this.#unsynced);
      file.truncate(this.syncedLength);
      if (file.write(bytes) < bytes.length) throw shortWrite(bytes.length);
      await this.#watched(file);
    } catch (error) {
      file.close();
      throw error;
    }
    const old = this.#file;
    this.#file = file;
    this.#isDead = false;
    this.#hasHalfLine = false;
    this.#forgetSynced(this.length);
    closeQuietly(old);
  }

  close(): void {
    // A hanging sync still uses the file; closing it could hit another file with the same descriptor.
    if (this.#syncing === undefined) closeQuietly(this.#file);
    else void this.#syncing.then(() => closeQuietly(this.#file));
  }

  #forgetSynced(upTo: number): void {
    let length = this.syncedLength;
    let count = 0;
    while (length < upTo) length += this.#unsynced[count++]?.length ?? upTo;
    this.#unsynced = this.#unsynced.slice(count);
    this.syncedLength = upTo;
  }

  #die(error: unknown): never {
    this.#isDead = true;
    this.#causeOfDeath = error;
    throw error;
  }

  async #watched(file: OpenFile): Promise<void> {
    let isSlow = false;
    const cancel = afterTwoSteps(this.#options.clock, SLOW_SYNC_MS, () => {
      isSlow = true;
      this.#options.onSlow(true);
    });
    const run = file.datasync();
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    this.#syncing = settled.then(() => {
      this.#syncing = undefined;
    });
    try {
      await run;
    } finally {
      cancel();
    }
    // A failure is reported elsewhere, and is worse than slow.
    if (isSlow) this.#options.onSlow(false);
  }

  #assertNotMoved(): void {
    const { movedReason } = this;
    if (movedReason !== undefined) throw new Error(movedReason);
  }

  /** Why the path no longer leads to the file. */
  get movedReason(): string | undefined {
    const { files, path } = this.#options;
    const now = files.stat(path);
    if (now?.inode === this.#identity.inode && now.device === this.#identity.device) return undefined;
    const problem = now === undefined ? "is gone" : "has been replaced by another file";
    return `${path} ${problem}. Move it back; events are kept in memory until then.`;
  }
}

function shortWrite(bytes: number): Error {
  return Object.assign(new Error(`ENOSPC: a write of ${bytes} bytes was cut short`), { code: "ENOSPC" });
}

function closeQuietly(file: OpenFile): void {
  try {
    file.close();
  } catch {
    // Everything in it was synced or is in memory; an error of close says nothing more.
  }
}
