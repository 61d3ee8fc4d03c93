/**
 * Client that reconnects. Guarantees: a subscription continues from its own cursor over every new connection, without
 * gaps or repeats; repeatable calls are sent again, commands under their first id; other calls are rejected with
 * "closed" as soon as their connection is lost. It ends by `close`, when the host comes back with another protocol
 * version, or when this device has been signed out.
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
  type ErrorCode,
  type SessionEvent,
  type SessionNews,
} from "../protocol/index.ts";
import { HostCalls, type RequestBody } from "./calls.ts";
import type {
  CommandBody,
  ConnectionHint,
  ConnectionState,
  LastingClient,
  LastingClientOptions,
  SubscribeOptions,
  Subscription,
} from "./client-port.ts";
import { ConnectionLostError, type WireClient } from "./client.ts";
import { createFeed, type Feed } from "./feed.ts";
import { openMonitoredConnection, type MonitoredConnection } from "./monitored-connection.ts";
import { Outbox } from "./outbox.ts";

const RETRY_MS_MAX = 10_000;
const FIRST_RETRY_MS_MAX = 250;
const STORE_RETRY_MS = 5_000;
/** The cap applies from here on anyway, and 2 ** attempt stays finite. */
const DOUBLINGS_MAX = 16;

/**
 * `connect` is called for every attempt and may find the host at a new address. The first attempt rejects as
 * `createClient` does.
 */
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
  /** False until the reply to the first subscribe; until then the outbox repeats it like any other call. */
  isEstablished: boolean;
  /** Position when the current connection was opened. */
  sinceSeq: number;
}

/** Whether events arrived on the current connection. */
function hasMoved({ feed, sinceSeq }: Follow): boolean {
  return feed.cursor.seq > sinceSeq;
}

/** A new attempt would end in the same way. */
const FINAL: ReadonlySet<ErrorCode> = new Set(["version_mismatch", "locked"]);

const ONLINE: ConnectionState = { state: "online", attempt: 0, nextInMs: 0, reason: "" };

class ReconnectingClient extends HostCalls implements LastingClient {
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
  #connection: MonitoredConnection | undefined;
  /** Attempts since the last useful connection. */
  #attempt = 0;
  /**
   * A reply arrived, or events for a subscription that has ended. Opening alone does not count, or a host that drops
   * every call would be retried without a pause.
   */
  #isUseful = false;
  #onlineAt = 0;
  #cancelRetry: (() => void) | undefined;
  #over: string | undefined;

  constructor(connect: () => Promise<ClientConnection>, options: LastingClientOptions) {
    super();
    this.#connect = connect;
    this.#options = options;
    this.clientId = options.clientId ?? newId();
    this.#clock = options.clock ?? systemClock;
    this.#outbox = new Outbox({ clock: this.#clock, onAnswer: () => (this.#isUseful = true) });
  }

  async open(): Promise<void> {
    const { clientId } = this;
    const connection = await openMonitoredConnection(this.#connect, { ...this.#options, clientId });
    if (this.#over === undefined) this.#goOnline(connection);
    else connection.close(this.#over);
  }

  protected request<Result>(body: RequestBody, repeat: "repeatable" | "once"): Promise<Result> {
    const send = (client: WireClient) => client.request<Result>(body);
    return this.#outbox.call({ send, isRepeatable: repeat === "repeatable", bytes: bytesOf(body) });
  }

  async followList(listener: (news: SessionNews) => void): Promise<void> {
    if (this.#newsListener !== undefined) {
      throw new RoundtableError("conflict", "This client already follows the session list.");
    }
    this.#newsListener = listener;
    await this.#connection?.client.followList(listener).catch(ignoreLoss);
  }

  putBlob(sessionId: string, bytes: Uint8Array<ArrayBuffer>): Promise<BlobRef> {
    // Blobs are content-addressed, so uploading twice is harmless. The caller holds the bytes anyway: they do not
    // count.
    return this.#outbox.call({ send: (client) => client.putBlob(sessionId, bytes), isRepeatable: true, bytes: 0 });
  }

  command(sessionId: string, body: CommandBody, { signal }: { signal?: AbortSignal } = {}): Promise<Ack> {
    const command: Command = { ...body, commandId: newId() };
    return this.#outbox.call({
      send: (client) => client.issue(sessionId, command),
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
      throw new RoundtableError("conflict", `This client is already subscribed to session ${sessionId}.`);
    }
    const follow = this.#createFollow(sessionId, createFeed(cursor), onEvents, options);
    this.#follows.set(sessionId, follow);
    const close = (): void => {
      if (this.#drop(follow)) this.#connection?.client.unfollow(sessionId, follow.feed);
    };
    signal?.addEventListener("abort", close, { once: true });
    const subscribing = this.#outbox.call({
      send: (client) => client.follow(follow),
      isRepeatable: true,
      bytes: 0,
      signal,
    });
    const head = await subscribing.catch((error: unknown) => {
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
    this.#isUseful = false;
    this.#onlineAt = this.#clock.monotonic();
    this.host = connection.client.host;
    connection.client.onStore((notice) => this.emitStore(notice));
    connection.client.onShutdown((reason) => this.emitShutdown(reason));
    for (const follow of this.#follows.values()) {
      follow.sinceSeq = follow.feed.cursor.seq;
      if (follow.isEstablished) this.#resume(follow, connection);
    }
    if (this.#newsListener !== undefined) void connection.client.followList(this.#newsListener).catch(ignoreLoss);
    this.#outbox.online(connection.client);
    this.#setState(ONLINE);
    connection.client.onClose((reason) => this.#lose(reason));
  }

  #resume(follow: Follow, connection: MonitoredConnection, isWaiting = false): void {
    const { sessionId } = follow;
    const resumed = (): void => {
      if (isWaiting) this.emitStore({ sessionId, state: "ok", message: "" });
    };
    connection.client.follow(follow).then(resumed, (error: unknown) => {
      if (error instanceof ConnectionLostError) return;
      if (!isStoreAway(error)) return follow.options.onResync?.(error instanceof Error ? error.message : String(error));
      // The host is there, and what it reads from is not. That passes; until then the screen keeps what it shows.
      if (!isWaiting) this.emitStore({ sessionId, state: "slow", message: error.message });
      this.#clock.after(STORE_RETRY_MS, () => {
        if (this.#connection === connection && this.#follows.get(sessionId) === follow)
          this.#resume(follow, connection, true);
      });
    });
  }

  #lose(reason: string): void {
    this.#connection?.stop();
    this.#connection = undefined;
    this.#outbox.offline();
    if (this.#over !== undefined) return;
    const hasLasted = this.#clock.monotonic() - this.#onlineAt >= RETRY_MS_MAX;
    if (this.#isUseful || hasLasted || [...this.#follows.values()].some(hasMoved)) this.#attempt = 0;
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
      if (error instanceof RoundtableError && FINAL.has(error.code)) return this.#end(withHint(error), error);
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
      sinceSeq: feed.cursor.seq,
      onEvents,
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
    this.#isUseful ||= hasMoved(follow);
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

function isStoreAway(error: unknown): error is RoundtableError {
  return error instanceof RoundtableError && error.code === "store_unavailable";
}

/** The next connection follows the list again. */
function ignoreLoss(error: unknown): void {
  if (!(error instanceof ConnectionLostError)) throw error;
}

function withHint({ message, hint = "" }: RoundtableError): string {
  return `${message} ${hint}`.trim();
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/**
 * Exponential backoff with full jitter: the clients of a restarted host must not come back all at once. `attempt`
 * counts from 1.
 */
export function retryDelayMs(attempt: number, random: number): number {
  const ceiling = Math.min(RETRY_MS_MAX, FIRST_RETRY_MS_MAX * 2 ** Math.min(attempt - 1, DOUBLINGS_MAX));
  return Math.floor(random * ceiling);
}
