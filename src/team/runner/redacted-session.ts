/**
 * A shared session without secrets, for `join --redact`. It is read from its beginning once, because what was recognised
 * as a secret is redacted everywhere after it; only what follows the cursor is passed on.
 */
import type { Client } from "../../client/index.ts";
import { createLiveRedaction, type LiveRedaction } from "../../host/index.ts";
import type { Cursor, Json, SessionEvent } from "../../protocol/index.ts";
import type { SessionSource } from "./shipment.ts";

/** Events that wait to be redacted; then reading stops until they are done. */
const WAITING_MAX = 2_000;
const START: Cursor = { epoch: 0, seq: 0 };

export class RedactedSession implements SessionSource {
  readonly #client: Pick<Client, "subscribe">;
  readonly #begin: () => LiveRedaction;
  #redaction: LiveRedaction;
  /** Up to here it has been redacted. */
  #done = START;
  #work = Promise.resolve();

  constructor(
    client: Pick<Client, "subscribe">,
    sessionId: string,
    readBlob: (sessionId: string, sha256: string) => Promise<Uint8Array>,
  ) {
    this.#client = client;
    this.#begin = () => createLiveRedaction((sha256) => readBlob(sessionId, sha256));
    this.#redaction = this.#begin();
  }

  subscribe: SessionSource["subscribe"] = async (sessionId, from, onEvents, { onResync }) => {
    // An earlier subscription may have one event in hand.
    await this.#work;
    if (from.seq < this.#done.seq) {
      this.#redaction = this.#begin();
      this.#done = START;
    }
    const over = new AbortController();
    let inner: Awaited<ReturnType<SessionSource["subscribe"]>> | undefined;
    let waiting = 0;
    let read = this.#done;
    const close = (): void => {
      over.abort();
      inner?.close();
    };
    const fail = (reason: string): void => {
      if (over.signal.aborted) return;
      close();
      onResync(reason);
    };
    const work = async (events: readonly SessionEvent[]): Promise<void> => {
      const redacted = await this.#redact(events, over.signal);
      const fresh = redacted.filter(({ seq }) => seq > from.seq);
      if (over.signal.aborted) return;
      if (fresh.length > 0) onEvents(fresh);
      waiting -= events.length;
      if (waiting === 0 && inner === undefined) await open();
    };
    const receive = (events: readonly SessionEvent[]): void => {
      const last = events.at(-1);
      if (last === undefined || over.signal.aborted) return;
      read = { epoch: last.epoch, seq: last.seq };
      waiting += events.length;
      if (waiting > WAITING_MAX) {
        inner?.close();
        inner = undefined;
      }
      this.#work = this.#work
        .then(() => work(events))
        .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
    };
    const open = async (): Promise<Cursor> => {
      const opened = await this.#client.subscribe(sessionId, read, receive, { onResync: fail, signal: over.signal });
      if (over.signal.aborted || waiting > WAITING_MAX) opened.close();
      else inner = opened;
      return opened.head;
    };
    return { head: await open(), close };
  };

  /** Of what the redacted events name. Rejects for content that is no text: it cannot be scanned. */
  async readBlob(sha256: string): Promise<Uint8Array> {
    const bytes = await this.#redaction.readBlob(sha256);
    if (bytes === undefined) throw new Error(`blob ${sha256} is not text`);
    return bytes;
  }

  redactValue(value: Json): Json {
    return this.#redaction.redactValue(value);
  }

  async #redact(events: readonly SessionEvent[], signal: AbortSignal): Promise<SessionEvent[]> {
    const redacted: SessionEvent[] = [];
    for (const event of events) {
      if (signal.aborted) break;
      redacted.push(await this.#redaction.redact(event));
      this.#done = { epoch: event.epoch, seq: event.seq };
    }
    return redacted;
  }
}
