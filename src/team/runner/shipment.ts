/**
 * One shared session on its way to the server: from the head that the server has, in order, two batches under way. Holds
 * few events: when they come faster than they are stored, it stops listening and reads on from the log later.
 */
import { blobsIn } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import type { BlobRef, Cursor, SessionEvent } from "../../protocol/index.ts";
import type { Answer, Question } from "../frames.ts";
import type { Turns } from "./turns.ts";

const WAITING_MAX = 2_000;
/** Under way; a batch goes without the answer to the one before. Others would only make them smaller. */
const BATCHES_MAX = 2;
/** Of all batches under way. */
const EVENTS_MAX = 500;
/** Likewise; half of what a node takes as one: whatever has more than one event fits. */
const BYTES_MAX = 4 * 1024 * 1024;
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
  readonly send: (question: Question, onAnswer: (answer: Answer) => void) => void;
  readonly readBlob: (sessionId: string, sha256: string) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly warn: (sentence: string) => void;
}

/** What the server has not answered yet. */
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
  /** Answers to anything else, such as what was sent before it began anew, are ignored. */
  #sent: readonly Sent[] = [];
  /** Waits for its blobs. */
  #next: Batch | undefined;
  #subscription: SourceSubscription | undefined;
  #isSubscribing = false;
  /** Up to here it was read, to be shipped; undefined until the server has said where to continue. */
  #position: Cursor | undefined;
  #failures = 0;
  #cancelIdle = (): void => {};
  #cancelRetry: (() => void) | undefined;
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
    if (this.#isStuck || this.#over.signal.aborted || this.#isFollowing || this.#cancelRetry !== undefined) return;
    if (this.#position === undefined) return this.#catchUp(() => this.#askWhere());
    if (seq > this.#position.seq && this.#waiting.length === 0) this.#catchUp(() => void this.#subscribe());
  }

  #onAnswer(answered: Sent, answer: Answer): void {
    if (this.#over.signal.aborted || !this.#sent.includes(answered)) return;
    this.#sent = this.#sent.filter((one) => one !== answered);
    if (answer.frame === "refused") return this.#onRefusal(answer, answered);
    if (answered.what === "blob") return this.#shipNext();
    this.#failures = 0;
    if (answered.what === "batch") return this.#ship();
    if (answer.frame === "head") this.#position = answer.head;
    return void this.#subscribe();
  }

  /** Nothing is sent after it, also of what was read. */
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
    // Begins at once when it is its turn already.
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
        // The log has lost what was shipped, or was replaced: everything is compared again.
        this.#retry(true);
      };
      const onEvents = (events: readonly SessionEvent[]): void => this.#enqueue(events);
      this.#subscription = await source.subscribe(this.#sessionId, from, onEvents, { onResync });
      this.#failures = 0;
      if (this.#over.signal.aborted) return this.#subscription.close();
      if (this.#subscription.head.seq <= from.seq) this.#ship();
      else this.#rest();
    } catch {
      // Held by a process that does not answer, or gone: asked again.
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
    this.#caughtUp();
    this.#rest();
  }

  /** Undefined while as much is under way as may be. */
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
      // Gone here too; readers see that it is missing.
      () => this.#next === next && this.#shipNext(),
    );
  }

  #onRefusal({ code, error }: Extract<Answer, { frame: "refused" }>, { what }: Sent): void {
    const { warn } = this.#deps;
    if (what === "blob") {
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

  /** What is under way is not counted on. */
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
