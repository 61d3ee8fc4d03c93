/**
 * Wake-ups inside one process, and the loop that waits for them. A topic is the id of a session, a runner or a command.
 * A wake-up that comes before somebody waits is not lost: a waiter names the count that it has seen.
 */
import type { Clock } from "../../kit/clock.ts";
import type { Cursor, SessionEvent } from "../../protocol/index.ts";
import { TeamStoreError, type TeamStore } from "./team-store.ts";

interface Topic {
  count: number;
  users: number;
  readonly waiters: Set<() => void>;
}

/** One user of a topic. */
export interface Waking {
  /** Resolves at the next wake-up since the last call, at the time limit, or when the signal is aborted. */
  next(limitMs: number): Promise<void>;
  end(): void;
}

export class WakeUps {
  readonly #clock: Clock;
  readonly #topics = new Map<string, Topic>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is waited for at present. */
  get topics(): Iterable<string> {
    return this.#topics.keys();
  }

  wake(id: string): void {
    const topic = this.#topics.get(id);
    if (topic === undefined) return;
    topic.count += 1;
    for (const resume of topic.waiters) resume();
  }

  wakeAll(): void {
    for (const id of this.#topics.keys()) this.wake(id);
  }

  follow(id: string, signal: AbortSignal): Waking {
    const topic = this.#topics.get(id) ?? { count: 0, users: 0, waiters: new Set() };
    this.#topics.set(id, topic);
    topic.users += 1;
    let seen = topic.count;
    let resume = (): void => {};
    const onAbort = (): void => resume();
    signal.addEventListener("abort", onAbort);
    const next = async (limitMs: number): Promise<void> => {
      if (topic.count === seen && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        resume = resolve;
        const cancel = this.#clock.after(limitMs, resolve);
        topic.waiters.add(resolve);
        await promise;
        topic.waiters.delete(resolve);
        cancel();
      }
      seen = topic.count;
    };
    const end = (): void => {
      signal.removeEventListener("abort", onAbort);
      topic.users -= 1;
      if (topic.users === 0) this.#topics.delete(id);
    };
    return { next, end };
  }
}

/** A database that is away is asked again after this time. */
const AWAY_MS = 500;
/** What delivery relies on where a wake-up is lost. */
export const POLL_MS = 1_000;

/** The tail of a store that is read again and again, until the store is closed. */
export function createTail(read: TeamStore["read"], wakeUps: WakeUps, over: AbortSignal): TeamStore["tail"] {
  return (sessionId, cursor, signal) =>
    tailByReading(read, { sessionId, cursor, signal: AbortSignal.any([signal, over]), wakeUps });
}

interface TailOptions {
  readonly sessionId: string;
  readonly cursor: Cursor;
  readonly signal: AbortSignal;
  readonly wakeUps: WakeUps;
}

async function* tailByReading(
  read: TeamStore["read"],
  { sessionId, cursor, signal, wakeUps }: TailOptions,
): AsyncGenerator<readonly SessionEvent[], void, void> {
  const waking = wakeUps.follow(sessionId, signal);
  let position = cursor;
  try {
    while (!signal.aborted) {
      let waitMs = POLL_MS;
      try {
        for await (const events of read(sessionId, position)) {
          if (signal.aborted) return;
          const last = events.at(-1);
          if (last !== undefined) position = { epoch: last.epoch, seq: last.seq };
          yield events;
        }
      } catch (error) {
        if (!isPassing(error)) throw error;
        waitMs = AWAY_MS;
      }
      await waking.next(waitMs);
    }
  } finally {
    waking.end();
  }
}

/** An error that ends without anybody doing something. */
export function isPassing(error: unknown): boolean {
  return error instanceof TeamStoreError && error.code === "unavailable";
}
