/**
 * The event stream for every client of the wire. While at least one listens, sessions that run, change or are viewed
 * are followed, each mapped once; a stream only numbers the frames. Late clients first get the current state. A stream
 * that does not read is told to refetch everything and costs no more than its socket buffer.
 */
import type { ServerResponse } from "node:http";
import { createClient, createConnectionPair, type Client, type Subscription } from "../../../src/client/index.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fromSnapshot } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import type { ServedHost } from "../../../src/server/index.ts";
import { createEventStream, type EventStream, type StreamFilter } from "./event-stream.ts";
import { CLIENT_ID } from "./session-reading.ts";

/** Beyond it the longest quiet session is dropped; it is followed again once it changes. */
const FOLLOWED_MAX = 64;
const STREAMS_MAX = 256;

/** Clients hold one question at a time and forget it when answered: then the next one is sent again. */
const ASK_AGAIN_MS = 400;
/** A new page discards what it received before it requested its session. */
const NEW_MS = 10_000;
/**
 * Head start of a response over its run's events: they use another connection, and the page must have read the
 * response.
 */
const REPLY_LEAD_MS = 50;

export interface EventBusDeps {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly rejectedPlans: ReadonlySet<string>;
}

interface Followed {
  readonly ready: Promise<void>;
  mapper: linggen.SessionMapper | undefined;
  subscription: Subscription | undefined;
  /** Responses that must be sent before the events. */
  holds: number;
  /** Events waiting for them. */
  held: SessionEvent[];
}

export class EventBus {
  readonly #deps: EventBusDeps;
  readonly #streams = new Set<EventStream>();
  /** Ordered by last event. */
  readonly #followed = new Map<string, Followed>();
  #client: Promise<Client> | undefined;
  #stopNews = () => {};
  #statuses = 0;
  /** The session that a client requested last. */
  #shownSessionId: string | undefined;

  constructor(deps: EventBusDeps) {
    this.#deps = deps;
  }

  /** False when too many clients are listening. */
  connect(response: ServerResponse, filter: StreamFilter): boolean {
    if (this.#streams.size >= STREAMS_MAX) return false;
    const { clock } = this.#deps;
    const stream: EventStream = createEventStream({
      response,
      clock,
      filter,
      onEnd: () => this.#leave(stream),
      snapshot: () => this.#snapshots(filter),
    });
    this.#streams.add(stream);
    if (this.#streams.size === 1) this.#wake();
    stream.send(this.#snapshots(filter));
    return true;
  }

  /** Follows the session from now on, and sends its current state at once. */
  async follow(sessionId: string): Promise<void> {
    if (this.#client === undefined) return;
    await this.#follow(sessionId, { isNews: false }).catch(() => undefined);
  }

  /** Holds back the session's events until the response is sent, so that a client knows its run before its events. */
  holdUntilSent(sessionId: string, response: ServerResponse): void {
    const followed = this.#followed.get(sessionId);
    if (followed === undefined) return;
    followed.holds += 1;
    const release = () => {
      followed.holds -= 1;
      if (followed.holds === 0) this.#onEvents(sessionId, followed, followed.held.splice(0));
    };
    // Called once, after the last byte or when the client disconnected.
    response.once("close", () => this.#deps.clock.after(REPLY_LEAD_MS, release));
  }

  /** A client shows this session: running agents are sent again, and everything to a new client. */
  async onSessionShown(sessionId: string): Promise<void> {
    const isKnown = this.#followed.get(sessionId)?.mapper !== undefined;
    const isOther = this.#shownSessionId !== sessionId;
    this.#shownSessionId = sessionId;
    await this.follow(sessionId);
    const mapper = this.#followed.get(sessionId)?.mapper;
    if (!isKnown || mapper === undefined) return;
    const { clock } = this.#deps;
    const now = clock.now();
    for (const stream of this.#streams) {
      if (!stream.filter(mapper.transcript.head)) continue;
      const isNew = clock.monotonic() - stream.openedMs < NEW_MS && !stream.shown.has(sessionId);
      if (isNew) stream.send(mapper.snapshot(now));
      else if (isOther) stream.send(mapper.running(now));
      if (isNew) stream.shown.add(sessionId);
    }
  }

  /** Current state of the session's plan. */
  sendPlan(sessionId: string): void {
    const mapper = this.#followed.get(sessionId)?.mapper;
    this.#broadcast(mapper, mapper?.plan(this.#deps.clock.now()) ?? []);
  }

  /** A change without an event. */
  sync(): void {
    this.#broadcast(undefined, [linggen.syncFrame(this.#deps.clock.now())]);
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
    this.#sleep();
  }

  #leave(stream: EventStream): void {
    if (this.#streams.delete(stream) && this.#streams.size === 0) this.#sleep();
  }

  #wake(): void {
    const [here, there] = createConnectionPair();
    this.#client = createClient(async () => here, { clientId: CLIENT_ID });
    // A host that shuts down ends the streams too.
    this.#client.catch(() => undefined);
    this.#deps.host.serve(there);
    this.#stopNews = this.#deps.host.followSessions(({ isWhole, changed, gone }) => {
      const busy = isWhole ? changed.filter((one) => one.status === "running") : changed;
      for (const { sessionId } of busy) void this.#follow(sessionId, { isNews: !isWhole }).catch(() => undefined);
      if (gone.length > 0) this.sync();
    });
  }

  #sleep(): void {
    this.#stopNews();
    this.#stopNews = () => {};
    this.#followed.clear();
    const client = this.#client;
    this.#client = undefined;
    void client?.then((one) => one.close()).catch(() => undefined);
  }

  #follow(sessionId: string, how: { isNews: boolean }): Promise<void> {
    const known = this.#followed.get(sessionId);
    if (known !== undefined) return known.ready;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const followed: Followed = { ready: promise, mapper: undefined, subscription: undefined, holds: 0, held: [] };
    this.#followed.set(sessionId, followed);
    this.#makeRoom();
    this.#begin(sessionId, followed, how).then(resolve, (error: unknown) => {
      if (this.#followed.get(sessionId) === followed) this.#followed.delete(sessionId);
      reject(error);
    });
    return promise;
  }

  async #begin(sessionId: string, followed: Followed, { isNews }: { isNews: boolean }): Promise<void> {
    const client = await this.#client;
    if (client === undefined) return;
    const transcript = fromSnapshot(await client.snapshot(sessionId));
    const nextStatusId = () => `status-${(this.#statuses += 1)}`;
    const { rejectedPlans } = this.#deps;
    const mapper = new linggen.SessionMapper(transcript ?? empty(sessionId), { nextStatusId, rejectedPlans });
    const startSeq = mapper.transcript.head.seq;
    await this.#subscribe(client, followed, mapper);
    followed.mapper = mapper;
    const now = this.#deps.clock.now();
    const snapshot = mapper.snapshot(now);
    if (this.#followed.get(sessionId) !== followed) return followed.subscription?.close();
    const isLater = isNews || mapper.transcript.head.seq > startSeq;
    this.#broadcast(mapper, isLater ? [linggen.syncFrame(now), ...snapshot] : snapshot);
  }

  /**
   * Resolves when the mapper has all that was in the log: opening a session that was killed ends its turns and requests,
   * which clients are not to see as running first.
   */
  async #subscribe(client: Client, followed: Followed, mapper: linggen.SessionMapper): Promise<void> {
    const { sessionId, epoch, seq } = mapper.transcript.head;
    const caughtUp = Promise.withResolvers<void>();
    let endSeq = Number.POSITIVE_INFINITY;
    const check = () => (mapper.transcript.head.seq >= endSeq ? caughtUp.resolve() : undefined);
    const onEvents = (events: readonly SessionEvent[]) => {
      if (followed.mapper !== undefined) return this.#onEvents(sessionId, followed, events);
      for (const event of events) mapper.map(event);
      check();
    };
    const onResync = () => {
      caughtUp.resolve();
      this.#resync(sessionId, followed);
    };
    followed.subscription = await client.subscribe(sessionId, { epoch, seq }, onEvents, { onResync });
    endSeq = followed.subscription.head.seq;
    check();
    await caughtUp.promise;
  }

  #onEvents(sessionId: string, followed: Followed, events: readonly SessionEvent[]): void {
    const { mapper } = followed;
    if (mapper === undefined || this.#followed.get(sessionId) !== followed) return;
    if (followed.holds > 0) {
      followed.held.push(...events);
      return;
    }
    this.#followed.delete(sessionId);
    this.#followed.set(sessionId, followed);
    const drafts = events.flatMap((event) => mapper.map(event));
    if (events.some((event) => event.type === "ui_response" || event.type === "ui_cancelled")) this.#askAgain();
    this.#broadcast(
      mapper,
      drafts.filter((draft, at) => !(linggen.isSync(draft) && at > 0 && linggen.isSync(drafts[at - 1] ?? draft))),
    );
  }

  #askAgain(): void {
    this.#deps.clock.after(ASK_AGAIN_MS, () => {
      const now = this.#deps.clock.now();
      for (const { mapper } of this.#followed.values()) {
        const [oldest] = mapper?.asks(now) ?? [];
        if (oldest === undefined) continue;
        this.#broadcast(mapper, [oldest]);
        return;
      }
    });
  }

  #resync(sessionId: string, followed: Followed): void {
    if (this.#followed.get(sessionId) === followed) this.#followed.delete(sessionId);
    this.#broadcast(followed.mapper, [linggen.resyncFrame(this.#deps.clock.now())]);
    void this.#follow(sessionId, { isNews: false }).catch(() => undefined);
  }

  #makeRoom(): void {
    for (const [sessionId, followed] of this.#followed) {
      if (this.#followed.size <= FOLLOWED_MAX) return;
      const isBusy = Object.keys(followed.mapper?.transcript.head.openTurns ?? {}).length > 0;
      if (followed.subscription === undefined || isBusy) continue;
      followed.subscription.close();
      this.#followed.delete(sessionId);
    }
  }

  #snapshots(filter: StreamFilter): linggen.UiDraft[] {
    const now = this.#deps.clock.now();
    const mappers = [...this.#followed.values()].flatMap(({ mapper }) => mapper ?? []);
    return mappers.filter((mapper) => filter(mapper.transcript.head)).flatMap((mapper) => mapper.snapshot(now));
  }

  #broadcast(mapper: linggen.SessionMapper | undefined, drafts: readonly linggen.UiDraft[]): void {
    if (drafts.length === 0) return;
    for (const stream of this.#streams) {
      if (mapper === undefined || stream.filter(mapper.transcript.head)) stream.send(drafts);
    }
  }
}
