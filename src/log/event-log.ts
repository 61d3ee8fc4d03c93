/**
 * The port of a session's log: the only truth. Any store (the file store now, others later) passes `event-log.contract.ts`.
 *
 * Promises:
 * - `seq` is contiguous from 1; events are heard (followers, `committed`) in seq order, only after they are in the file,
 *   and after fdatasync when the event, or one before it in the same batch, is of class sync.
 * - A failing store loses nothing it accepted: events wait in memory, bounded, and are written when it recovers.
 */
import type { BlobRef, Cursor, EventDraft, Json, SessionEvent, StoreState } from "../protocol/index.ts";

export interface LogReader {
  readonly sessionId: string;
  /** The last seq that is committed (or, for a reader without the lock, that was in the file when it looked). */
  readonly committedSeq: number;
  readonly epoch: number;
  /**
   * Batches of events with seq > after, in order. Ends at the committed head. What cannot be read is one `damage` event for
   * fromSeq … toSeq, with `seq` = toSeq: it is the only event whose seq is not one more than that before it.
   */
  read(after: number): AsyncGenerator<SessionEvent[], void, void>;
  /** False for a cursor this log cannot have given out: a seq beyond the head or an epoch it never had. */
  knows(cursor: Cursor): Promise<boolean>;
  readonly snapshots: SnapshotStore;
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

export interface EventLog extends LogReader {
  /**
   * Numbers and stamps the drafts at once and queues them for writing; a draft must not be changed afterwards. Throws before
   * anything is numbered: `too_large`, `unsupported` (a derived event), `closed`. A failing disk makes it throw
   * (`store_unavailable`) only for a sync event when all memory for waiting events is used up.
   */
  append(drafts: readonly EventDraft[]): Appended;
  /**
   * Every event after `after`, first from the file, then live: no gap, no repeat. The listener is called with batches,
   * never concurrently with itself; while its promise is pending nothing more is read for it.
   */
  follow(after: number, listener: (events: readonly SessionEvent[]) => void | Promise<void>): () => void;
  /** Resolves when everything appended so far is on disk. Rejects when the store cannot take it. */
  flush(): Promise<void>;
  /** Resolves when everything appended so far is in the file, synced or not. Rejects only if the log is closed before that. */
  written(): Promise<void>;
  readonly store: StoreReport;
  /** Called at each change of state, at once. The listener must not throw. */
  onStore(listener: (report: StoreReport) => void): () => void;
  /** What recovery did when this log was opened for writing. */
  readonly recovery: RecoveryReport;
}

export interface Appended {
  /** The stamped events. Fewer than the drafts only when a failing store refused stream events for lack of memory. */
  readonly events: readonly SessionEvent[];
  /** Resolves when all of `events` are committed by their class. Rejects only if the log is closed before that. */
  readonly committed: Promise<void>;
}

export interface StoreReport {
  readonly state: StoreState;
  readonly message: string;
  /** Bytes accepted but not yet in the file. */
  readonly backlogBytes: number;
  /** Stream events refused since the store began to fail. */
  readonly dropped: number;
}

export interface RecoveryReport {
  /** Bytes of a half-written tail that were saved aside and cut. */
  readonly tornBytes: number;
  readonly tornFile: string | undefined;
  readonly damages: readonly Damage[];
}

export interface Damage {
  readonly offset: number;
  readonly bytes: number;
  /** Seqs that are missing here; from > to when the bytes are foreign but no seq is missing. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly what: string;
}

/** A derived cache of the fold. Everything in it can be rebuilt; a broken or foreign one is as good as none. */
export interface SnapshotStore {
  load(): Promise<Snapshot | undefined>;
  /** Pages first, then the head that names them, so a cut never leaves a head without its pages. */
  save(snapshot: Snapshot, newPages: readonly { index: number; page: Json }[]): Promise<void>;
  page(index: number): Promise<Json | undefined>;
}

export interface Snapshot {
  readonly foldVersion: number;
  readonly epoch: number;
  readonly seq: number;
  readonly frozenPages: number;
  readonly state: Json;
}

export interface BlobStore {
  /** On disk and synced when it resolves, so that an event may name it. */
  put(bytes: Uint8Array, mime?: string): Promise<BlobRef>;
  get(sha256: string): Promise<Uint8Array | undefined>;
}
