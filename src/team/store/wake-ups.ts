/**
 * Wake-ups inside one process. A topic is the id of a session, a runner or a command. A wake-up that comes before somebody
 * waits is not lost: a waiter names the count that it has seen.
 */
import type { Clock } from "../../kit/clock.ts";

interface Topic {
  count: number;
  users: number;
  readonly waiters: Set<() => void>;
}

/** One user of a topic. */
export interface Waking {
  /** Wake-ups of the topic that this user knows of. */
  readonly seen: number;
  /** Resolves at the next wake-up since the last call, at the time limit, or when the signal is aborted. */
  next(limitMs?: number): Promise<void>;
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
    const next = async (limitMs?: number): Promise<void> => {
      if (topic.count === seen && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        resume = resolve;
        const cancel = limitMs === undefined ? undefined : this.#clock.after(limitMs, resolve);
        topic.waiters.add(resolve);
        await promise;
        topic.waiters.delete(resolve);
        cancel?.();
      }
      seen = topic.count;
    };
    const end = (): void => {
      signal.removeEventListener("abort", onAbort);
      topic.users -= 1;
      if (topic.users === 0) this.#topics.delete(id);
    };
    return {
      get seen() {
        return seen;
      },
      next,
      end,
    };
  }
}
