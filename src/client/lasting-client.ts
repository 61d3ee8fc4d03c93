/**
 * A client that outlives its connections. Promises: a subscription goes on from its own cursor over every new
 * connection, without a gap and without a repeat; what may be asked again is asked again, commands under their first id;
 * what may not is rejected with "closed" as soon as its connection is gone. It ends by `close`, or when the host comes
 * back with another protocol.
 */
import { systemClock, type Clock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import {
  isRepeatable,
  RoundtableError,
  type Ack,
  type BlobRef,
  type ClientConnection,
  type Command,
  type Cursor,
  type Json,
  type SearchAnswer,
  type SearchQuery,
  type SessionEvent,
  type SessionNews,
  type SessionSummary,
  type SnapshotFrame,
  type TrashedSession,
} from "../protocol/index.ts";
import { ConnectionLostError } from "./client.ts";
import type {
  CommandBody,
  ConnectionHint,
  ConnectionState,
  CreateRequest,
  DeleteOptions,
  LastingClient,
  LastingClientOptions,
  StoreNotice,
  SubscribeOptions,
  Subscription,
} from "./client-port.ts";
import { createFeed, type Feed } from "./feed.ts";
import { openMonitoredConnection, type MonitoredConnection } from "./monitored-connection.ts";
import { Outbox } from "./outbox.ts";
import { RETRY_MS_MAX, retryDelayMs } from "./retry-delay.ts";

/** `connect` is called for every try and may find the host at a new place. The first try rejects as `createClient` does. */
export async function createLastingClient(
  connect: () => Promise<ClientConnection>,
  options: LastingClientOptions = {},
): Promise<LastingClient> {
  const client = new ReconnectingClient(connect, options);
  await client.open();
  return client;
}

interface Follow {
  readonly sessionId: string;
  readonly feed: Feed;
  readonly onEvents: (events: readonly SessionEvent[]) => void;
  readonly options: SubscribeOptions;
  /** False until the first subscribe is answered; until then it is a call like any other. */
  isEstablished: boolean;
}

const ONLINE: ConnectionState = { state: "online", attempt: 0, nextInMs: 0, reason: "" };

class ReconnectingClient implements LastingClient {
  readonly clientId: string;
  host = { hostId: "", version: "" };
  state: ConnectionState = ONLINE;
  readonly #connect: () => Promise<ClientConnection>;
  readonly #options: LastingClientOptions;
  readonly #clock: Clock;
  readonly #outbox: Outbox;
  readonly #follows = new Map<string, Follow>();
  #newsListener: ((news: SessionNews) => void) | undefined;
  readonly #stateListeners: ((state: ConnectionState) => void)[] = [];
  readonly #closeListeners: ((reason: string) => void)[] = [];
  readonly #storeListeners: ((notice: StoreNotice) => void)[] = [];
  readonly #shutdownListeners: ((reason: string) => void)[] = [];
  #connection: MonitoredConnection | undefined;
  /** Tries since the last connection that was of use. */
  #attempt = 0;
  /** A connection that only opens is of no use: a host that fails at what we ask would be asked without a pause. */
  #isOfUse = false;
  #onlineAt = 0;
  #cancelRetry: (() => void) | undefined;
  #over: string | undefined;

  constructor(connect: () => Promise<ClientConnection>, options: LastingClientOptions) {
    this.#connect = connect;
    this.#options = options;
    this.clientId = options.clientId ?? newId();
    this.#clock = options.clock ?? systemClock;
    this.#outbox = new Outbox({ clock: this.#clock, onAnswer: () => (this.#isOfUse = true) });
  }

  async open(): Promise<void> {
    const { clientId } = this;
    const connection = await openMonitoredConnection(this.#connect, { ...this.#options, clientId });
    if (this.#over === undefined) this.#goOnline(connection);
    else connection.close(this.#over);
  }

  list(): Promise<SessionSummary[]> {
    return this.#outbox.call({ ask: (client) => client.list(), isRepeatable: true, bytes: 0 });
  }

  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.#outbox.call({ ask: (client) => client.search(query), isRepeatable: true, bytes: bytesOf(query) });
  }

  async followList(listener: (news: SessionNews) => void): Promise<void> {
    if (this.#newsListener !== undefined) {
      throw new RoundtableError("conflict", "This client already follows the list of sessions.");
    }
    this.#newsListener = listener;
    await this.#connection?.client.followList(listener).catch(ignoreLoss);
  }

  create(request: CreateRequest): Promise<{ sessionId: string }> {
    return this.#outbox.call({ ask: (client) => client.create(request), isRepeatable: false, bytes: bytesOf(request) });
  }

  snapshot(sessionId: string): Promise<SnapshotFrame> {
    return this.#outbox.call({ ask: (client) => client.snapshot(sessionId), isRepeatable: true, bytes: 0 });
  }

  page(sessionId: string, page: number): Promise<Json> {
    return this.#outbox.call({ ask: (client) => client.page(sessionId, page), isRepeatable: true, bytes: 0 });
  }

  deleteSession(sessionId: string, options?: DeleteOptions): Promise<void> {
    return this.#outbox.call({
      ask: (client) => client.deleteSession(sessionId, options),
      isRepeatable: false,
      bytes: 0,
    });
  }

  restoreSession(sessionId: string): Promise<void> {
    return this.#outbox.call({ ask: (client) => client.restoreSession(sessionId), isRepeatable: false, bytes: 0 });
  }

  trash(): Promise<TrashedSession[]> {
    return this.#outbox.call({ ask: (client) => client.trash(), isRepeatable: true, bytes: 0 });
  }

  compressSession(sessionId: string): Promise<{ plainBytes: number; bytes: number }> {
    return this.#outbox.call({ ask: (client) => client.compressSession(sessionId), isRepeatable: false, bytes: 0 });
  }

  putBlob(sessionId: string, bytes: Uint8Array<ArrayBuffer>): Promise<BlobRef> {
    // The same bytes are the same file, however often they are sent. Whoever attaches them holds them anyhow.
    return this.#outbox.call({ ask: (client) => client.putBlob(sessionId, bytes), isRepeatable: true, bytes: 0 });
  }

  command(sessionId: string, body: CommandBody, { signal }: { signal?: AbortSignal } = {}): Promise<Ack> {
    const command: Command = { ...body, commandId: newId() };
    return this.#outbox.call({
      ask: (client) => client.issue(sessionId, command),
      isRepeatable: isRepeatable(command.type),
      bytes: bytesOf(command),
      signal,
    });
  }

  async subscribe(
    sessionId: string,
    cursor: Cursor,
    onEvents: (events: readonly SessionEvent[]) => void,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (this.#follows.has(sessionId)) {
      throw new RoundtableError("conflict", `This client already follows session ${sessionId}.`);
    }
    const follow = this.#createFollow(sessionId, createFeed(cursor), onEvents, options);
    this.#follows.set(sessionId, follow);
    const close = (): void => {
      if (this.#drop(follow)) this.#connection?.client.unfollow(sessionId, follow.feed);
    };
    signal?.addEventListener("abort", close, { once: true });
    const ask = {
      ask: (client: MonitoredConnection["client"]) => client.follow(follow),
      isRepeatable: true,
      bytes: 0,
      signal,
    };
    const head = await this.#outbox.call(ask).catch((error: unknown) => {
      this.#drop(follow);
      throw error;
    });
    follow.isEstablished = true;
    return {
      get cursor() {
        return follow.feed.cursor;
      },
      head,
      close,
    };
  }

  onState(listener: (state: ConnectionState) => void): void {
    this.#stateListeners.push(listener);
  }

  onClose(listener: (reason: string) => void): void {
    if (this.#over === undefined) this.#closeListeners.push(listener);
    else listener(this.#over);
  }

  onStore(listener: (notice: StoreNotice) => void): void {
    this.#storeListeners.push(listener);
  }

  onShutdown(listener: (reason: string) => void): void {
    this.#shutdownListeners.push(listener);
  }

  hint(hint: ConnectionHint): void {
    if (hint === "offline") return this.#connection?.close("the network is gone");
    if (this.#connection !== undefined) this.#connection.probe();
    else if (this.#cancelRetry !== undefined) void this.#retry();
  }

  close(): void {
    const reason = "the client closed the connection";
    this.#end(reason, new ConnectionLostError(reason));
  }

  #goOnline(connection: MonitoredConnection): void {
    this.#connection = connection;
    this.#isOfUse = false;
    this.#onlineAt = this.#clock.monotonic();
    this.host = connection.client.host;
    connection.client.onStore((notice) => this.#storeListeners.forEach((listener) => listener(notice)));
    connection.client.onShutdown((reason) => this.#shutdownListeners.forEach((listener) => listener(reason)));
    for (const follow of this.#follows.values()) if (follow.isEstablished) this.#resume(follow, connection);
    if (this.#newsListener !== undefined) void connection.client.followList(this.#newsListener).catch(ignoreLoss);
    this.#outbox.online(connection.client);
    this.#setState(ONLINE);
    connection.client.onClose((reason) => this.#lose(reason));
  }

  #resume(follow: Follow, connection: MonitoredConnection): void {
    connection.client.follow(follow).catch((error: unknown) => {
      if (error instanceof ConnectionLostError) return;
      follow.options.onResync?.(error instanceof Error ? error.message : String(error));
    });
  }

  #lose(reason: string): void {
    this.#connection?.stop();
    this.#connection = undefined;
    this.#outbox.offline();
    if (this.#over !== undefined) return;
    const hasLasted = this.#clock.monotonic() - this.#onlineAt >= RETRY_MS_MAX;
    if (this.#isOfUse || hasLasted) this.#attempt = 0;
    this.#waitToRetry(reason);
  }

  #waitToRetry(reason: string): void {
    this.#attempt += 1;
    const nextInMs = retryDelayMs(this.#attempt, (this.#options.random ?? Math.random)());
    this.#cancelRetry = this.#clock.after(nextInMs, () => void this.#retry());
    this.#setState({ state: "offline", attempt: this.#attempt, nextInMs, reason });
  }

  async #retry(): Promise<void> {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#setState({ ...this.state, state: "reconnecting", nextInMs: 0 });
    try {
      await this.open();
    } catch (error) {
      if (this.#over !== undefined) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof RoundtableError && error.code === "version_mismatch") return this.#end(reason, error);
      this.#waitToRetry(reason);
    }
  }

  #createFollow(
    sessionId: string,
    feed: Feed,
    onEvents: (events: readonly SessionEvent[]) => void,
    options: SubscribeOptions,
  ): Follow {
    const follow: Follow = {
      sessionId,
      feed,
      isEstablished: false,
      onEvents: (events) => {
        this.#isOfUse = true;
        onEvents(events);
      },
      options: {
        ...options,
        onResync: (reason) => {
          if (this.#drop(follow)) options.onResync?.(reason);
        },
      },
    };
    return follow;
  }

  #drop(follow: Follow): boolean {
    return this.#follows.get(follow.sessionId) === follow && this.#follows.delete(follow.sessionId);
  }

  #setState(state: ConnectionState): void {
    this.state = state;
    for (const listener of this.#stateListeners) listener(state);
  }

  #end(reason: string, error: RoundtableError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#cancelRetry?.();
    this.#outbox.end(error);
    this.#follows.clear();
    this.#connection?.close(reason);
    for (const listener of this.#closeListeners) listener(reason);
  }
}

/** The next connection asks again. */
function ignoreLoss(error: unknown): void {
  if (!(error instanceof ConnectionLostError)) throw error;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
