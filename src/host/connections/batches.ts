/** A lot: the events that go to a client in one piece. Its size is bounded by bytes, so that one write never costs much. */
import type { SessionEvent } from "../../protocol/index.ts";

/** About this much text; a single event may have as much by itself. */
const BATCH_BYTES_MAX = 192 * 1024;
const BATCH_EVENTS_MAX = 512;
/** Quotes, commas, keys: what a value costs besides its own text. */
const VALUE_BYTES = 12;

/** How many of the events from `from` on go together; at least one where there is one. */
export function batchEnd(events: readonly SessionEvent[], from: number, eventsMax = BATCH_EVENTS_MAX): number {
  let bytes = 0;
  let end = from;
  const limit = Math.min(events.length, from + eventsMax);
  while (end < limit) {
    bytes += roughBytes(events[end]);
    if (bytes > BATCH_BYTES_MAX && end > from) return end;
    end += 1;
  }
  return end;
}

/** All of them in lots; the very array where it is one lot. */
export function splitIntoBatches(events: readonly SessionEvent[]): (readonly SessionEvent[])[] {
  const batches: (readonly SessionEvent[])[] = [];
  for (let at = 0; at < events.length;) {
    const end = batchEnd(events, at);
    batches.push(at === 0 && end === events.length ? events : events.slice(at, end));
    at = end;
  }
  return batches;
}

/** About the length of a value as JSON, without making it. */
export function roughBytes(value: unknown): number {
  if (typeof value === "string") return value.length + VALUE_BYTES;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const one of value) bytes += roughBytes(one);
  else {
    const record = value as Record<string, unknown>;
    for (const key in record) bytes += key.length + roughBytes(record[key]);
  }
  return bytes;
}
