/** The session list as server-sent events: the full list first, then new, changed and deleted sessions. */
import type { ServerResponse } from "node:http";
import type { Host } from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import type { SessionNews } from "../../protocol/index.ts";
import { encodeNotice } from "./encoded-events.ts";
import { beginStream, endResponse } from "./event-stream.ts";

const HEARTBEAT_MS = 15_000;
/** A reader with a larger backlog is disconnected; it gets the full list when it reconnects. */
const BACKLOG_BYTES_MAX = 1024 * 1024;
const READERS_MAX = 256;

export interface SessionListFeedOptions {
  readonly clock: Clock;
}

interface Reader {
  readonly response: ServerResponse;
  stop: () => void;
  cancelHeartbeat: () => void;
}

export class SessionListFeed {
  readonly #options: SessionListFeedOptions;
  readonly #readers = new Set<Reader>();
  /** Encoded once for all readers. */
  readonly #texts = new WeakMap<SessionNews, string>();

  constructor(options: SessionListFeedOptions) {
    this.#options = options;
  }

  /** False when there are too many readers. */
  add(host: Pick<Host, "followSessions">, response: ServerResponse): boolean {
    if (this.#readers.size >= READERS_MAX) return false;
    const reader: Reader = { response, stop: () => {}, cancelHeartbeat: () => {} };
    this.#readers.add(reader);
    // "close" always follows.
    response.on("error", () => {});
    response.on("close", () => this.#forget(reader));
    beginStream(response);
    this.#scheduleHeartbeat(reader);
    // A host may give the list before this returns, and the reader may be dropped for it.
    reader.stop = host.followSessions((news) => this.#write(reader, this.#textOf(news)));
    if (!this.#readers.has(reader)) reader.stop();
    return true;
  }

  close(): void {
    for (const reader of this.#readers) {
      reader.response.write(encodeNotice("shutdown", { reason: "the server is shutting down" }));
      this.#drop(reader);
    }
  }

  #textOf(news: SessionNews): string {
    const known = this.#texts.get(news);
    if (known !== undefined) return known;
    const { isWhole, changed, gone } = news;
    const text = isWhole
      ? encodeNotice("sessions", changed)
      : changed.map((one) => encodeNotice("session", one)).join("") +
        gone.map((sessionId) => encodeNotice("gone", { sessionId })).join("");
    this.#texts.set(news, text);
    return text;
  }

  /** Sent only after a quiet interval. */
  #scheduleHeartbeat(reader: Reader): void {
    reader.cancelHeartbeat();
    reader.cancelHeartbeat = this.#options.clock.after(HEARTBEAT_MS, () =>
      this.#write(reader, encodeNotice("heartbeat", {})),
    );
  }

  #write(reader: Reader, text: string): void {
    if (!this.#readers.has(reader)) return;
    if (reader.response.writableLength > BACKLOG_BYTES_MAX) return this.#drop(reader);
    reader.response.write(text);
    this.#scheduleHeartbeat(reader);
  }

  #drop(reader: Reader): void {
    this.#forget(reader);
    endResponse(reader.response, this.#options.clock);
  }

  #forget(reader: Reader): void {
    this.#readers.delete(reader);
    reader.cancelHeartbeat();
    reader.stop();
  }
}
