/**
 * What a reader that sleeps has missed. Memory stays small however long it sleeps: what the transcript says as well is
 * not kept, and of the rest no more than fits; how many had to go is counted, for whoever tells the reader.
 */
import type { SessionEvent } from "../protocol/index.ts";

export const MISSED_BYTES_MAX = 256 * 1024;
const encoder = new TextEncoder();

/** Whoever follows a session reads these off its transcript, or not at all. */
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
  /** The oldest, which are gone. */
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
