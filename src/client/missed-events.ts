/**
 * Bounded buffer of the events that a slow reader has missed. Events that the transcript covers are not stored; beyond
 * the limit the oldest are dropped and counted.
 */
import type { SessionEvent } from "../protocol/index.ts";

export const MISSED_BYTES_MAX = 256 * 1024;
const encoder = new TextEncoder();

/** Covered by the transcript, or not needed. */
const IN_TRANSCRIPT: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "text_delta",
  "text_done",
  "thinking_start",
  "thinking_delta",
  "thinking_done",
  "tool_call_start",
  "tool_call_update",
  "tool_output_delta",
  "tool_result",
  "status",
  "usage",
  "context_update",
  "context_entry",
  "message_delivery",
]);

export interface Missed {
  readonly events: readonly SessionEvent[];
  /** Number of dropped events. */
  readonly leftOut: number;
}

export class MissedEvents {
  #buffered: { readonly event: SessionEvent; readonly bytes: number }[] = [];
  #bytes = 0;
  #leftOut = 0;

  get isEmpty(): boolean {
    return this.#buffered.length === 0;
  }

  add(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (IN_TRANSCRIPT.has(event.type)) continue;
      const bytes = encoder.encode(JSON.stringify(event)).length;
      this.#buffered.push({ event, bytes });
      this.#bytes += bytes;
    }
    let gone = 0;
    for (; this.#bytes > MISSED_BYTES_MAX; gone += 1) this.#bytes -= this.#buffered[gone]?.bytes ?? this.#bytes;
    this.#buffered.splice(0, gone);
    this.#leftOut += gone;
  }

  drain(): Missed {
    const missed = { events: this.#buffered.map(({ event }) => event), leftOut: this.#leftOut };
    [this.#buffered, this.#bytes, this.#leftOut] = [[], 0, 0];
    return missed;
  }
}
