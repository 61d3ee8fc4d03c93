/**
 * One shared session on its way to the server: from the head that the server has, in order, one batch under way. Holds
 * few events: when they come faster than they are stored, it stops listening and reads on from the log later.
 */
import { blobsIn } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import type { BlobRef, Cursor, SessionEvent } from "../../protocol/index.ts";
import type { NodeFrame, RunnerFrame } from "../frames.ts";
import type { Turns } from "./turns.ts";

const WAITING_MAX = 2_000;
const BATCH_EVENTS_MAX = 500;
/** Half of what a node takes: whatever has more than one event fits. */
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
/** A session in which nothing happens is let go; a change in the list brings it back. */
const IDLE_MS = 30_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;
const START: Cursor = { epoch: 0, seq: 0 };

interface SourceSubscription {
  /** The end of the log when it began. */
  readonly head: Cursor;
  close(): void;
}

/** Where its events come from: a client of the host, or one that redacts. */
export interface SessionSource {
  subscribe(
    sessionId: string,
    cursor: Cursor,
    onEvents: (events: readonly SessionEvent[]) => void,
    options: { readonly onResync: (reason: string) => void },
  ): Promise<SourceSubscription>;
}

export interface ShipmentDeps {
  readonly source: SessionSource;
  /** For catching up: what is read and not shipped yet is in memory. */
  readonly turns: Turns;
  readonly send: (frame: RunnerFrame) => void;
  readonly readBlob: (sessionId: string, sha256: string) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly warn: (sentence: string) => void;
}

export class Shipment {
  readonly #sessionId: string;
  readonly #deps: ShipmentDeps;
  readonly #over = new AbortController();
  #waiting: SessionEvent[] = [];
  #underWay: "nothing" | "where" | "blobs" | "batch" = "nothing";
  #blobs: BlobRef[] = [];
  #batch: readonly SessionEvent[] = [];
  #subscription: SourceSubscription | undefined;
  #isSubscribing = false;
  #cursor: Cursor | undefined;
  #failures = 0;
  #cancelIdle = (): void => {};
  #cancelRetry = (): void => {};
  /** While it waits for its turn, or catches up. */
  #endTurn: (() => void) | undefined;
  /** Refused for a reason that only its owner can end. */
  #isStuck = false;

  constructor(sessionId: string, deps: ShipmentDeps) {
    this.#sessionId = sessionId;
    this.#deps = deps;
  }

  /** The session has events up to this seq. */
  touch(seq: number): void {
    if (this.#isStuck || this.#over.signal.aborted || this.#isFollowing) return;
    if (this.#cursor === undefined) return this.#catchUp(() => this.#askWhere());
    if (seq > this.#cursor.seq) this.#catchUp(() => void this.#subscribe());
  }

  onFrame(frame: Extract<NodeFrame, { sessionId: string }>): void {
    if (this.#over.signal.aborted) return;
    if (frame.frame === "head") this.#onHead(frame.head);
    else if (frame.frame === "blob" && this.#underWay === "blobs") this.#shipBlob();
    else if (frame.frame === "refused") this.#onRefusal(frame);
  }

  close(): void {
    this.#over.abort();
    this.#caughtUp();
    this.#cancelIdle();
    this.#cancelRetry();
    this.#subscription?.close();
  }

  get #isFollowing(): boolean {
    return this.#subscription !== undefined || this.#isSubscribing;
  }

  #catchUp(begin: () => void): void {
    if (this.#endTurn !== undefined) return;
    // Begins at once when it is its turn already.
    this.#endTurn = () => {};
    this.#endTurn = this.#deps.turns.enter(begin);
  }

  #caughtUp(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }

  #askWhere(): void {
    if (this.#underWay === "where") return;
    this.#stopFollowing();
    this.#underWay = "where";
    this.#waiting = [];
    this.#deps.send({ frame: "where", sessionId: this.#sessionId });
  }

  #onHead(head: Cursor): void {
    const isAnswer = this.#underWay === "where";
    this.#underWay = "nothing";
    this.#failures = 0;
    this.#cursor = head;
    if (isAnswer || !this.#isFollowing) void this.#subscribe();
    else this.#ship();
  }

  async #subscribe(): Promise<void> {
    if (this.#isFollowing || this.#over.signal.aborted) return;
    this.#isSubscribing = true;
    const { source } = this.#deps;
    const from = this.#cursor ?? START;
    try {
      const onResync = (): void => {
        this.#subscription = undefined;
        // The log has lost what was shipped, or was replaced: everything is compared again.
        this.#cursor = START;
        this.#retry();
      };
      const onEvents = (events: readonly SessionEvent[]): void => this.#enqueue(events);
      this.#subscription = await source.subscribe(this.#sessionId, from, onEvents, { onResync });
      this.#failures = 0;
      if (this.#over.signal.aborted) return this.#subscription.close();
      if (this.#subscription.head.seq <= from.seq) this.#caughtUp();
      this.#rest();
    } catch {
      // Held by a process that does not answer, or gone: asked again.
      this.#retry();
    } finally {
      this.#isSubscribing = false;
    }
  }

  #enqueue(events: readonly SessionEvent[]): void {
    this.#cancelIdle();
    for (const event of events) this.#waiting.push(event);
    if (this.#waiting.length > WAITING_MAX) this.#stopFollowing();
    this.#ship();
  }

  #ship(): void {
    if (this.#underWay !== "nothing") return;
    if (this.#waiting.length === 0 && !this.#isFollowing) return void this.#subscribe();
    if (this.#waiting.length === 0) {
      this.#caughtUp();
      return this.#rest();
    }
    this.#batch = this.#nextBatch();
    this.#blobs = this.#batch.flatMap((event) => [...blobsIn(event)]);
    this.#underWay = "blobs";
    this.#shipBlob();
  }

  #nextBatch(): SessionEvent[] {
    let bytes = 0;
    const end = this.#waiting.slice(0, BATCH_EVENTS_MAX).findIndex((event) => {
      bytes += Buffer.byteLength(JSON.stringify(event));
      return bytes > BATCH_BYTES_MAX;
    });
    return this.#waiting.splice(0, end === -1 ? BATCH_EVENTS_MAX : Math.max(1, end));
  }

  /** Blobs before the events that name them. */
  #shipBlob(): void {
    const blob = this.#blobs.shift();
    const { send, readBlob } = this.#deps;
    const sessionId = this.#sessionId;
    if (blob === undefined) {
      this.#underWay = "batch";
      const epoch = this.#batch.at(-1)?.epoch ?? 0;
      return send({ frame: "batch", sessionId, epoch, events: this.#batch });
    }
    readBlob(sessionId, blob.sha256).then(
      (bytes) => send({ frame: "blob", sessionId, blob, data: Buffer.from(bytes).toString("base64") }),
      // Gone here too; readers see that it is missing.
      () => this.#shipBlob(),
    );
    return undefined;
  }

  #onRefusal({ code, error }: Extract<NodeFrame, { frame: "refused" }>): void {
    const { warn } = this.#deps;
    if (this.#underWay === "blobs") {
      warn(`a file of session ${this.#sessionId} is not on the server: ${error.message}`);
      return this.#shipBlob();
    }
    this.#underWay = "nothing";
    this.#stopFollowing();
    if (code === "conflict" || code === "stale_epoch" || code === "bad_batch") {
      this.#isStuck = true;
      this.#caughtUp();
      return warn(`session ${this.#sessionId} is not shipped: ${error.message}${error.hint ? ` ${error.hint}` : ""}`);
    }
    if (this.#failures === 0 && code !== "gap") warn(`the server cannot store events for now: ${error.message}`);
    return this.#retry();
  }

  #retry(): void {
    this.#underWay = "nothing";
    this.#waiting = [];
    this.#cancelRetry();
    this.#caughtUp();
    const waitMs = Math.min(RETRY_MS * 2 ** Math.min(this.#failures, 10), RETRY_MS_MAX);
    this.#failures += 1;
    const isLost = this.#cursor?.seq === 0;
    this.#cancelRetry = this.#deps.clock.after(waitMs, () =>
      this.#catchUp(() => (isLost ? void this.#subscribe() : this.#askWhere())),
    );
  }

  #stopFollowing(): void {
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#cancelIdle();
  }

  #rest(): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#deps.clock.after(IDLE_MS, () => this.#stopFollowing());
  }
}
