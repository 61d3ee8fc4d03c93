/**
 * An EventLog in memory, for fast tests: commits by microtask, can hold its commits back, can fail like a disk, and
 * can be cut at any event at or behind the last commit, which is what a crash leaves.
 */
import { createHash } from "node:crypto";
import { newId } from "../../src/kit/ids.ts";
import type {
  Appended,
  BlobStore,
  EventLog,
  RecoveryReport,
  Snapshot,
  SnapshotStore,
  StoreReport,
} from "../../src/log/index.ts";
import { syncClassOf, type Cursor, type EventDraft, type SessionEvent } from "../../src/protocol/index.ts";

export interface MemoryDisk {
  /** What a reader would find, in order. */
  events: SessionEvent[];
  snapshot?: Snapshot;
  readonly pages: Map<number, string>;
  readonly blobs: Map<string, Uint8Array>;
  epoch: number;
}

export function createDisk(): MemoryDisk {
  return { events: [], pages: new Map(), blobs: new Map(), epoch: 0 };
}

/** The disk after a crash: all that was committed and, of the rest, the first `kept` events. */
export function crashedDisk(log: MemoryLog, kept: number): MemoryDisk {
  const { disk, committedSeq } = log;
  const { snapshot } = disk;
  return {
    events: structuredClone(disk.events.slice(0, committedSeq + kept)),
    pages: new Map(disk.pages),
    blobs: new Map(disk.blobs),
    epoch: disk.epoch,
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

type Listener = (events: readonly SessionEvent[]) => void | Promise<void>;

const WELL: StoreReport = { state: "ok", message: "", backlogBytes: 0, dropped: 0 };

export class MemoryLog implements EventLog {
  readonly sessionId: string;
  readonly epoch: number;
  readonly disk: MemoryDisk;
  readonly snapshots: SnapshotStore;
  readonly blobs: BlobStore;
  recovery: RecoveryReport = { tornBytes: 0, tornFile: undefined, damages: [] };
  committedSeq: number;
  store: StoreReport = WELL;
  /** Blobs are not stored while this is not "ok". */
  blobMode: "ok" | "failing" | "hanging" = "ok";
  readonly #now: () => number;
  readonly #waiters: { resolve: () => void; reject: (error: Error) => void }[] = [];
  readonly #storeListeners = new Set<(report: StoreReport) => void>();
  readonly #followers = new Set<{ after: number; listener: Listener }>();
  #isHeld = false;
  #isWriteHeld = false;
  #isClosed = false;
  #isScheduled = false;
  #room = Infinity;

  constructor(disk: MemoryDisk, options: { now?: () => number } = {}) {
    this.disk = disk;
    disk.epoch += 1;
    this.epoch = disk.epoch;
    this.sessionId = disk.events[0]?.sessionId ?? newId();
    this.committedSeq = disk.events.length;
    this.#now = options.now ?? (() => 0);
    this.snapshots = createSnapshots(disk);
    this.blobs = this.#createBlobs();
  }

  append(drafts: readonly EventDraft[]): Appended {
    if (this.#isClosed) throw new Error("the log is closed");
    const events = drafts.filter((draft) => this.#hasRoomFor(draft)).map((draft) => this.#stamp(draft));
    if (events.length === 0) return { events, committed: Promise.resolve() };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ resolve, reject });
    if (!this.#isScheduled) queueMicrotask(() => this.#commit());
    this.#isScheduled = true;
    return { events, committed: promise };
  }

  async *read(after: number): AsyncGenerator<SessionEvent[], void, void> {
    const events = this.disk.events.slice(after, this.committedSeq);
    for (let at = 0; at < events.length; at += 100) yield structuredClone(events.slice(at, at + 100));
  }

  async knows(cursor: Cursor): Promise<boolean> {
    return cursor.seq <= this.committedSeq && cursor.epoch <= this.epoch;
  }

  follow(after: number, listener: Listener): () => void {
    const follower = { after, listener };
    this.#followers.add(follower);
    queueMicrotask(() => this.#feed(follower));
    return () => this.#followers.delete(follower);
  }

  async flush(): Promise<void> {
    this.#commit();
  }

  /** In memory it is; held back only where the store takes nothing. */
  async written(): Promise<void> {
    if (!this.#isWriteHeld || this.#waiters.length === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiters.push({ resolve, reject });
    await promise;
  }

  onStore(listener: (report: StoreReport) => void): () => void {
    this.#storeListeners.add(listener);
    return () => this.#storeListeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error("the log was closed"));
  }

  /** Commits wait until `releaseCommits`; so do writes, unless only the sync is slow. */
  holdCommits({ isWritten = false } = {}): void {
    this.#isHeld = true;
    this.#isWriteHeld = !isWritten;
  }

  releaseCommits(): void {
    this.#isHeld = false;
    this.#isWriteHeld = false;
    this.#commit();
  }

  /** The store fails: nothing is committed, and stream events are refused once `room` events have been taken. */
  fail(options: { state: "full" | "read-only"; room: number }): void {
    this.#room = options.room;
    this.#setStore({ ...WELL, state: options.state, message: "no space left" });
  }

  /** The store is back, and the log says so in an event of its own. */
  recover(): void {
    const { dropped } = this.store;
    this.#room = Infinity;
    this.#setStore(WELL);
    this.append([{ type: "read_only", fromTs: 0, toTs: 0, reason: "no space left", dropped }]);
  }

  /** Through JSON, as a file would: what does not survive it must not be in an event. */
  #stamp(draft: EventDraft): SessionEvent {
    const { disk, epoch, sessionId } = this;
    const body = JSON.parse(JSON.stringify(draft)) as EventDraft;
    const event: SessionEvent = {
      seq: disk.events.length + 1,
      epoch,
      id: newId(),
      ts: this.#now(),
      sessionId,
      ...body,
    };
    disk.events.push(event);
    return event;
  }

  #hasRoomFor(draft: EventDraft): boolean {
    const isRefused = this.store.state !== "ok" && syncClassOf(draft.type) === "stream" && this.#room <= 0;
    if (isRefused) this.store = { ...this.store, dropped: this.store.dropped + 1 };
    this.#room -= 1;
    return !isRefused;
  }

  #setStore(report: StoreReport): void {
    this.store = report;
    for (const listener of this.#storeListeners) listener(report);
  }

  #commit(): void {
    this.#isScheduled = false;
    if (this.#isHeld || this.#isClosed || this.store.state !== "ok") return;
    this.committedSeq = this.disk.events.length;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
    for (const follower of this.#followers) this.#feed(follower);
  }

  #feed(follower: { after: number; listener: Listener }): void {
    const events = this.disk.events.slice(follower.after, this.committedSeq);
    follower.after = Math.max(follower.after, this.committedSeq);
    if (events.length > 0) void follower.listener(events);
  }

  #createBlobs(): BlobStore {
    return {
      put: async (bytes, mime) => {
        if (this.blobMode === "hanging") await new Promise<never>(() => undefined);
        if (this.blobMode === "failing") throw new Error("the disk is full");
        const sha256 = createHash("sha256").update(bytes).digest("hex");
        this.disk.blobs.set(sha256, bytes);
        return { sha256, bytes: bytes.byteLength, ...(mime === undefined ? {} : { mime }) };
      },
      get: async (sha256) => this.disk.blobs.get(sha256),
    };
  }
}

function createSnapshots(disk: MemoryDisk): SnapshotStore {
  return {
    load: async () => structuredClone(disk.snapshot),
    async save(snapshot, newPages) {
      for (const { index, page } of newPages) disk.pages.set(index, JSON.stringify(page));
      disk.snapshot = JSON.parse(JSON.stringify(snapshot)) as Snapshot;
    },
    async page(index) {
      const page = disk.pages.get(index);
      return page === undefined ? undefined : JSON.parse(page);
    },
  };
}
