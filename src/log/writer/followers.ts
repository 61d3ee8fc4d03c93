/**
 * Followers of a log. One rule for replay and live: a follower gets the events committed after its cursor, from the ring
 * of recent events if possible, else from the file. So there is no gap between the two, a slow follower costs no
 * memory, and fast ones share the same event objects.
 */

import type { Clock } from "../../kit/clock.ts";
import type { SessionEvent } from "../../protocol/index.ts";

type Listener = (events: readonly SessionEvent[]) => void | Promise<void>;

/** Retry delay after a read error. */
const READ_RETRY_MS = 1000;

export interface FollowSource {
  readonly committedSeq: number;
  readonly clock: Clock;
  read(after: number): AsyncGenerator<SessionEvent[], void, void>;
}

export class Followers {
  readonly #source: FollowSource;
  readonly #ring = new Ring();
  readonly #followers = new Set<Follower>();

  constructor(source: FollowSource) {
    this.#source = source;
  }

  /** Called with every committed batch, in order, after the source's `committedSeq` has moved. */
  publish(events: readonly SessionEvent[], bytes: number): void {
    this.#ring.push(events, bytes);
    for (const follower of this.#followers) follower.wake();
  }

  follow(after: number, listener: Listener): () => void {
    const follower = new Follower(this.#source, this.#ring, after, listener);
    this.#followers.add(follower);
    queueMicrotask(() => follower.wake());
    return () => {
      follower.stop();
      this.#followers.delete(follower);
    };
  }

  close(): void {
    for (const follower of this.#followers) follower.stop();
    this.#followers.clear();
  }
}

class Follower {
  readonly #source: FollowSource;
  readonly #ring: Ring;
  readonly #listener: Listener;
  #cursor: number;
  #isRunning = false;
  #isStopped = false;
  #endWait: (() => void) | undefined;

  constructor(source: FollowSource, ring: Ring, after: number, listener: Listener) {
    this.#source = source;
    this.#ring = ring;
    this.#cursor = after;
    this.#listener = listener;
  }

  wake(): void {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#endWait?.();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const recent = this.#ring.after(this.#cursor);
        if (recent !== undefined) {
          const delivered = this.#deliver(recent);
          if (delivered !== undefined) await delivered;
        } else if (this.#cursor < this.#source.committedSeq) {
          await this.#deliverFromFile();
        } else return;
      }
    } catch (error) {
      this.stop();
      // A listener that throws is a bug of its owner: it gets nothing more, and the error is not swallowed.
      queueMicrotask(() => {
        throw error;
      });
    } finally {
      // No await since the last check, so nothing that was committed in between is missed.
      this.#isRunning = false;
    }
  }

  #deliver(events: readonly SessionEvent[]): Promise<void> | undefined {
    this.#cursor = events.at(-1)?.seq ?? this.#cursor;
    return this.#listener(events) ?? undefined;
  }

  async #deliverFromFile(): Promise<void> {
    const before = this.#cursor;
    const batches = this.#source.read(before);
    for (;;) {
      let step;
      try {
        step = await batches.next();
      } catch {
        // The disk fails; the store's state reports it, and the follower retries.
        break;
      }
      if (step.done === true || this.#isStopped) break;
      await this.#deliver(step.value);
      if (this.#isStopped || this.#ring.after(this.#cursor) !== undefined) break;
    }
    await batches.return();
    if (this.#cursor === before) await this.#wait(READ_RETRY_MS);
  }

  async #wait(ms: number): Promise<void> {
    if (this.#isStopped) return;
    let cancel: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      this.#endWait = resolve;
      cancel = this.#source.clock.after(ms, resolve);
    });
    cancel?.();
    this.#endWait = undefined;
  }
}

/**
 * The latest committed events, for followers that keep up. Short on purpose: events that live longer would be promoted
 * to the old generation of the heap, and a fast stream would fill it.
 */
const RING_EVENTS_MAX = 128;
const RING_BYTES_MAX = 512 * 1024;

export class Ring {
  readonly #batches: { events: readonly SessionEvent[]; bytes: number }[] = [];
  #events = 0;
  #bytes = 0;

  push(events: readonly SessionEvent[], bytes: number): void {
    this.#batches.push({ events, bytes });
    this.#events += events.length;
    this.#bytes += bytes;
    while (this.#batches.length > 1 && (this.#events > RING_EVENTS_MAX || this.#bytes > RING_BYTES_MAX)) {
      const oldest = this.#batches.shift();
      this.#events -= oldest?.events.length ?? 0;
      this.#bytes -= oldest?.bytes ?? 0;
    }
  }

  /**
   * All events after `cursor`, without a copy when they are the newest batch; undefined when some are no longer or not
   * yet here.
   */
  after(cursor: number): readonly SessionEvent[] | undefined {
    let at = this.#batches.length;
    while (at > 0 && (this.#batches[at - 1]?.events[0]?.seq ?? 0) > cursor + 1) at--;
    const first = this.#batches[at - 1]?.events;
    if (first === undefined || (first.at(-1)?.seq ?? 0) <= cursor) return undefined;
    const fresh = first[0]?.seq === cursor + 1 ? first : first.slice(cursor + 1 - (first[0]?.seq ?? 0));
    if (at === this.#batches.length) return fresh;
    return fresh.concat(...this.#batches.slice(at).map((batch) => batch.events));
  }
}
