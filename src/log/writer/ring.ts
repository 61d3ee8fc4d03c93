/**
 * The latest committed events in memory, bounded, for followers that keep up. It is short on purpose: events that are kept
 * for long outlive the collection of young garbage, and a fast stream would fill the old part of the heap with them.
 */
import type { SessionEvent } from "../../protocol/index.ts";

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

  /** All events after `cursor`, the newest batch itself where that is all; undefined when some are no longer (or not yet) here. */
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
