/**
 * Ships one shared session: from the server's head, in order, with two batches in flight. Holds few events: when they
 * come faster than they are stored, it unsubscribes and reads on from the log later.
 */
import { blobsIn } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import type { BlobRef, Cursor, SessionEvent } from "../../protocol/index.ts";
import type { Answer, Question } from "../frames.ts";
import type { Turns } from "./turns.ts";

const WAITING_MAX = 2_000;
/**
 * Batches in flight: one is sent without waiting for the answer to the one before. More would only make them smaller.
 */
const BATCHES_MAX = 2;
/** Events of all batches in flight. */
const EVENTS_MAX = 500;
/**
 * Bytes of all batches in flight: half of what a node accepts as one batch, so that any batch of several events fits.
 */
const BYTES_MAX = 4 * 1024 * 1024;
/** An idle session is closed after this time; a change in the list reopens it. */
const IDLE_MS = 30_000;
const RETRY_MS = 1_000;
const RETRY_MS_MAX = 30_000;
const START: Cursor = { epoch: 0, seq: 0 };

interface SourceSubscription {
  /** End of the log when the subscription began. */
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
  /** Slots for catching up: events that are read and not shipped yet are held in memory. */
  readonly turns: Turns;
  readonly send: (question: Question, onAnswer: (answer: Answer) => void) => void;
  readonly readBlob: (sessionId: string, sha256: string) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly warn: (sentence: string) => void;
}

/** Requests without an answer. */
interface Sent {
  readonly what: "where" | "blob" | "batch";
  readonly events: number;
  readonly bytes: number;
}

interface Batch {
  readonly events: readonly SessionEvent[];
  readonly bytes: number;
  /** Not on the server yet. */
  readonly blobs: BlobRef[];
}

export class Shipment {
  readonly #sessionId: string;
  readonly #deps: ShipmentDeps;
  readonly #over = new AbortController();
  #waiting: SessionEvent[] = [];
  /** Answers to other requests, such as those from before a restart of the shipment, are ignored. */
  #sent: readonly Sent[] = [];
  /** Waits for its blobs. */
  #next: Batch | undefined;
  #subscription: SourceSubscription | undefined;
  #isSubscribing = false;
  /** Cursor up to which the log was read for shipping; undefined until the server has said where to continue. */
  #position: Cursor | undefined;
  #failures = 0;
  #cancelIdle = (): void => {};
  #cancelRetry: (() => void) | undefined;
  /** Waiting for a slot, or catching up. */
  #endTurn: (() => void) | undefined;
  /** Refused for a reason that only its owner can resolve. */
  #isStuck = false;

  constructor(sessionId: string, deps: ShipmentDeps) {
    this.#sessionId = sessionId;
    this.#deps = deps;
  }

  /** Reports that the session has events up to this seq. */
  touch(seq: number): void {
    if (this.#isStuck || this.#over.signal.aborted || this.#isFollowing || this.#cancelRetry !== undefined) return;
    if (this.#position === undefined) return this.#catchUp(() => this.#askWhere());
    if (seq > this.#position.seq && this.#waiting.length === 0) this.#catchUp(() => void this.#subscribe());
  }

  #onAnswer(answered: Sent, answer: Answer): void {
    if (this.#over.signal.aborted || !this.#sent.includes(answered)) return;
    this.#sent = this.#sent.filter((one) => one !== answered);
    if (answer.frame === "refused") return this.#onRefusal(answer, answered);
    if (answered.what === "blob") return this.#shipNext();
    // That it can be read says nothing: a database that is full or read-only answers too.
    if (answered.what === "batch") {
      this.#failures = 0;
      return this.#ship();
    }
    if (answer.frame === "head") this.#position = answer.head;
    return void this.#subscribe();
  }

  /** Nothing more is sent afterwards, not even events already read. */
  close(): void {
    this.#over.abort();
    this.#giveUp();
    this.#cancelIdle();
    this.#cancelRetry?.();
    this.#subscription?.close();
  }

  get #isFollowing(): boolean {
    return this.#subscription !== undefined || this.#isSubscribing;
  }

  #catchUp(begin: () => void): void {
    if (this.#endTurn !== undefined) return;
    // Starts immediately if a slot is free.
    this.#endTurn = () => {};
    this.#endTurn = this.#deps.turns.enter(begin);
  }

  #caughtUp(): void {
    this.#endTurn?.();
    this.#endTurn = undefined;
  }

  #askWhere(): void {
    this.#send({ what: "where", events: 0, bytes: 0 }, { frame: "where", sessionId: this.#sessionId });
  }

  #send(sent: Sent, question: Question): void {
    this.#sent = [...this.#sent, sent];
    this.#deps.send(question, (answer) => this.#onAnswer(sent, answer));
  }

  async #subscribe(): Promise<void> {
    if (this.#isFollowing || this.#over.signal.aborted) return;
    this.#isSubscribing = true;
    const { source } = this.#deps;
    const from = this.#position ?? START;
    try {
      const onResync = (): void => {
        this.#subscription = undefined;
        // The log has lost shipped events or was replaced: start over from the server's head.
        this.#retry(true);
      };
      const onEvents = (events: readonly SessionEvent[]): void => this.#enqueue(events);
      this.#subscription = await source.subscribe(this.#sessionId, from, onEvents, { onResync });
      if (this.#over.signal.aborted) return this.#subscription.close();
      if (this.#subscription.head.seq <= from.seq) this.#ship();
      else this.#rest();
    } catch {
      // The session is gone, or its holder does not answer: retry.
      this.#retry();
    } finally {
      this.#isSubscribing = false;
    }
  }

  #enqueue(events: readonly SessionEvent[]): void {
    if (this.#over.signal.aborted) return;
    this.#cancelIdle();
    for (const event of events) this.#waiting.push(event);
    const last = events.at(-1);
    if (last !== undefined) this.#position = { epoch: last.epoch, seq: last.seq };
    if (this.#waiting.length > WAITING_MAX) this.#stopFollowing();
    this.#ship();
  }

  #ship(): void {
    if (this.#next !== undefined) return;
    this.#next = this.#nextBatch();
    if (this.#next !== undefined) return this.#shipNext();
    if (this.#waiting.length > 0) return;
    if (!this.#isFollowing) return void this.#subscribe();
    if (this.#sent.length > 0) return;
    this.#failures = 0;
    this.#caughtUp();
    this.#rest();
  }

  /** Undefined while the limit of batches in flight is reached. */
  #nextBatch(): Batch | undefined {
    const eventsLeft = this.#sent.reduce((left, one) => left - one.events, EVENTS_MAX);
    const bytesLeft = this.#sent.reduce((left, one) => left - one.bytes, BYTES_MAX);
    const isAlone = this.#sent.length === 0;
    if (this.#sent.length >= BATCHES_MAX || eventsLeft <= 0) return undefined;
    let bytes = 0;
    let count = 0;
    for (const event of this.#waiting.slice(0, eventsLeft)) {
      const size = Buffer.byteLength(JSON.stringify(event));
      if (bytes + size > bytesLeft && !(isAlone && count === 0)) break;
      bytes += size;
      count += 1;
    }
    if (count === 0) return undefined;
    const events = this.#waiting.splice(0, count);
    const blobs: BlobRef[] = [];
    for (const event of events) blobs.push(...blobsIn(event));
    return { events, bytes, blobs };
  }

  /** Blobs before the events that name them. */
  #shipNext(): void {
    const next = this.#next;
    if (next === undefined) return;
    const { events, bytes, blobs } = next;
    const sessionId = this.#sessionId;
    const blob = blobs.shift();
    if (blob === undefined) {
      this.#next = undefined;
      const epoch = events.at(-1)?.epoch ?? 0;
      this.#send({ what: "batch", events: events.length, bytes }, { frame: "batch", sessionId, epoch, events });
      return this.#ship();
    }
    this.#deps.readBlob(sessionId, blob.sha256).then(
      (content) => {
        const data = Buffer.from(content).toString("base64");
        if (this.#next === next)
          this.#send({ what: "blob", events: 0, bytes: 0 }, { frame: "blob", sessionId, blob, data });
      },
      // Missing on this machine too; readers see that.
      () => this.#next === next && this.#shipNext(),
    );
  }

  #onRefusal({ code, error }: Extract<Answer, { frame: "refused" }>, { what }: Sent): void {
    const { warn } = this.#deps;
    // A database that cannot store anything now stores the file later.
    const isPassing = error.code === "store_unavailable" || error.code === "closed";
    if (what === "blob" && !isPassing) {
      warn(`a file of session ${this.#sessionId} could not be sent to the server: ${error.message}`);
      return this.#shipNext();
    }
    this.#stopFollowing();
    if (code === "conflict" || code === "stale_epoch" || code === "bad_batch") {
      this.#isStuck = true;
      this.#giveUp();
      return warn(
        `session ${this.#sessionId} is not being sent to the server: ${error.message}${error.hint ? ` ${error.hint}` : ""}`,
      );
    }
    if (this.#failures === 0 && code !== "gap") warn(`the server cannot store events at the moment: ${error.message}`);
    return this.#retry();
  }

  /** Batches in flight do not count as stored. */
  #giveUp(): void {
    this.#sent = [];
    this.#next = undefined;
    this.#waiting = [];
    this.#position = undefined;
    this.#caughtUp();
  }

  #retry(isLost = false): void {
    this.#giveUp();
    this.#cancelRetry?.();
    const waitMs = Math.min(RETRY_MS * 2 ** Math.min(this.#failures, 10), RETRY_MS_MAX);
    this.#failures += 1;
    this.#cancelRetry = this.#deps.clock.after(waitMs, () => {
      this.#cancelRetry = undefined;
      this.#catchUp(() => (isLost ? void this.#subscribe() : this.#askWhere()));
    });
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
