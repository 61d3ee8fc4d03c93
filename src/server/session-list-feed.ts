/**
 * The list of sessions, live: first the whole list, then every session that appeared or changed, and those that went.
 * It looks at the data directory while somebody listens, so it also sees what other processes do there.
 */
import type { ServerResponse } from "node:http";
import type { Clock } from "../kit/clock.ts";
import type { SessionSummary } from "../protocol/index.ts";
import { encodeNotice } from "./encoded-events.ts";
import { beginStream, endResponse } from "./event-stream.ts";

const LOOK_MS_MIN = 500;
/** Looking takes at most this share of the time, however many sessions there are. */
const LOOK_SHARE = 1 / 20;
const HEARTBEAT_MS = 15_000;
/** A reader with more than this unread is let go; it gets the whole list when it comes back. */
const BACKLOG_BYTES_MAX = 1024 * 1024;
const READERS_MAX = 256;

export interface SessionListFeedOptions {
  readonly listSessions: () => Promise<readonly SessionSummary[]>;
  readonly clock: Clock;
}

export class SessionListFeed {
  readonly #options: SessionListFeedOptions;
  readonly #readers = new Set<ServerResponse>();
  /** Readers that have not been given the whole list yet. */
  readonly #fresh = new Set<ServerResponse>();
  #shown = new Map<string, string>();
  #cancel: (() => void) | undefined;
  #isLooking = false;
  #saidAtMs = 0;

  constructor(options: SessionListFeedOptions) {
    this.#options = options;
  }

  /** False when there are too many readers already. */
  add(response: ServerResponse): boolean {
    if (this.#readers.size >= READERS_MAX) return false;
    this.#readers.add(response);
    this.#fresh.add(response);
    // "close" always follows.
    response.on("error", () => {});
    response.on("close", () => {
      this.#readers.delete(response);
      this.#fresh.delete(response);
    });
    beginStream(response);
    if (!this.#isLooking) void this.#look();
    return true;
  }

  close(): void {
    for (const reader of this.#readers) {
      reader.write(encodeNotice("shutdown", { reason: "the server is shutting down" }));
      this.#drop(reader);
    }
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #look(): Promise<void> {
    const { listSessions, clock } = this.#options;
    const startMs = clock.monotonic();
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isLooking = true;
    // A listing that fails now is tried again; the readers keep what they have.
    const sessions = await listSessions().catch(() => undefined);
    this.#isLooking = false;
    if (sessions !== undefined) this.#tell(sessions);
    if (this.#readers.size === 0) return;
    const waitMs = Math.max(LOOK_MS_MIN, (clock.monotonic() - startMs) / LOOK_SHARE);
    this.#cancel = clock.after(waitMs, () => void this.#look());
  }

  #tell(sessions: readonly SessionSummary[]): void {
    const now = new Map(sessions.map((one) => [one.sessionId, JSON.stringify(one)]));
    const changed = [...now].filter(([sessionId, text]) => this.#shown.get(sessionId) !== text);
    const gone = [...this.#shown.keys()].filter((sessionId) => !now.has(sessionId));
    this.#shown = now;
    const news =
      changed.map(([, text]) => `event: session\ndata: ${text}\n\n`).join("") +
      gone.map((sessionId) => encodeNotice("gone", { sessionId })).join("");
    const text = news === "" ? this.#heartbeat(now.size) : news;
    const whole = `event: sessions\ndata: [${[...now.values()].join(",")}]\n\n`;
    for (const reader of this.#readers) this.#write(reader, this.#fresh.delete(reader) ? whole : text);
    if (text !== "") this.#saidAtMs = this.#options.clock.monotonic();
  }

  #heartbeat(count: number): string {
    const isDue = this.#options.clock.monotonic() - this.#saidAtMs >= HEARTBEAT_MS;
    return isDue ? encodeNotice("heartbeat", { sessions: count }) : "";
  }

  #write(reader: ServerResponse, text: string): void {
    if (text === "") return;
    if (reader.writableLength <= BACKLOG_BYTES_MAX) reader.write(text);
    else this.#drop(reader);
  }

  #drop(reader: ServerResponse): void {
    this.#readers.delete(reader);
    this.#fresh.delete(reader);
    endResponse(reader, this.#options.clock);
  }
}
