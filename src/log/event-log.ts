/**
 * Port of a session's log, the only truth. Every store passes `event-log.contract.ts`.
 *
 * Guarantees:
 * - `seq` is contiguous from 1. Events are delivered (followers, `committed`) in seq order, after they are in the file,
 * and after fdatasync when the event, or one before it in the same batch, is of class sync.
 * - A failing store loses nothing that it accepted: events wait in memory, bounded, and are written when it recovers.
 */
import type { BlobRef, Cursor, EventDraft, Json, SessionEvent, StoreState } from "../protocol/index.ts";

export interface LogReader {
  readonly sessionId: string;
  /** The last committed seq; for a reader without the lock, the last one in the file when it was opened. */
  readonly committedSeq: number;
  readonly epoch: number;
  /**
   * Batches of events with seq > after, in order, up to the committed head. An unreadable range is one `damage` event
   * for fromSeq … toSeq with `seq` = toSeq, the only event whose seq is not one more than the previous.
   */
  read(after: number): AsyncGenerator<SessionEvent[], void, void>;
  /** False for a cursor that this log cannot have given out: a seq beyond the head, or an unknown epoch. */
  knows(cursor: Cursor): Promise<boolean>;
  readonly snapshots: SnapshotStore;
  readonly blobs: BlobStore;
  close(): Promise<void>;
}

export interface EventLog extends LogReader {
  /**
   * Numbers and stamps the drafts at once and queues them for writing; a draft must not be changed afterwards. Throws
   * before anything is numbered: `too_large`, `unsupported` (a derived event), `closed`. With a failing disk it throws
   * `store_unavailable`, for a sync event only, when the memory for waiting events is used up.
   */
  append(drafts: readonly EventDraft[]): Appended;
  /**
   * Every event after `after`, first from the file, then live: no gap, no repeat. The listener gets batches, one at a
   * time; while its promise is pending, nothing more is read for it.
   */
  follow(after: number, listener: (events: readonly SessionEvent[]) => void | Promise<void>): () => void;
  /** Resolves when everything appended so far is on disk. Rejects when the store fails. */
  flush(): Promise<void>;
  /**
   * Resolves when everything appended so far is in the file, synced or not. Rejects only when the log is closed before.
   */
  written(): Promise<void>;
  readonly store: StoreReport;
  /** Called at once on every change of state. The listener must not throw. */
  onStore(listener: (report: StoreReport) => void): () => void;
  /** Result of the recovery when this log was opened for writing. */
  readonly recovery: RecoveryReport;
}

export interface Appended {
  /** The stamped events. Fewer than the drafts only when a failing store refused stream events for lack of memory. */
  readonly events: readonly SessionEvent[];
  /** Resolves when all of `events` are committed by their class. Rejects only when the log is closed before. */
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
  /** Bytes of a torn tail that were copied aside and cut. */
  readonly tornBytes: number;
  readonly tornFile: string | undefined;
  readonly damages: readonly Damage[];
}

export interface Damage {
  readonly offset: number;
  readonly bytes: number;
  /** Missing seqs; from > to when foreign bytes were found but no seq is missing. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly what: string;
}

/** Derived cache of the fold. Everything in it can be rebuilt; a broken or foreign one is ignored. */
export interface SnapshotStore {
  load(): Promise<Snapshot | undefined>;
  /** Writes pages first, then the head that refers to them, so that a crash never leaves a head without its pages. */
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
  /** On disk and synced when it resolves, so that an event may refer to it. */
  put(bytes: Uint8Array, mime?: string): Promise<BlobRef>;
  get(sha256: string): Promise<Uint8Array | undefined>;
}
