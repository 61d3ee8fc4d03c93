/**
 * Client over one connection: calls with replies, commands with acknowledgements, and events from a cursor on.
 * Guarantees: each subscription delivers every event once and in seq order, and requests gaps again; when the
 * connection closes, every pending call is rejected with code "closed", and nothing is retried.
 */
import type { Clock } from "../kit/clock.ts";
import { systemClock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import {
  fromAnswerError,
  PROTOCOL_VERSION,
  RoundtableError,
  type Ack,
  type BlobPart,
  type BlobPartAnswer,
  type BlobRef,
  type ClientConnection,
  type ClientFrame,
  type Command,
  type Cursor,
  type HostFrame,
  type Json,
  type SessionEvent,
  type SessionNews,
} from "../protocol/index.ts";
import { HostCalls, type RequestBody } from "./calls.ts";
import type { Client, ClientOptions, CommandBody, SubscribeOptions, Subscription } from "./client-port.ts";
import { createFeed, type Feed } from "./feed.ts";
import { putBlob } from "./put-blob.ts";

/** A host that accepts the connection but sends no welcome within this time counts as hung. */
const WELCOME_TIMEOUT_MS = 10_000;

/** Rejects with "version_mismatch" when the host speaks another protocol, with "closed" when it does not answer. */
export function createClient(connect: () => Promise<ClientConnection>, options: ClientOptions = {}): Promise<Client> {
  return openWireClient(connect, options);
}

export async function openWireClient(
  connect: () => Promise<ClientConnection>,
  { clientId = newId(), clock = systemClock, openMs = WELCOME_TIMEOUT_MS, onReceive }: ClientOptions = {},
): Promise<WireClient> {
  const client = new WireClient(await connect(), clientId, onReceive);
  await client.welcomed(clock, openMs);
  return client;
}

/** The connection closed before the reply; the host may or may not have received the request. */
export class ConnectionLostError extends RoundtableError {
  constructor(reason: string) {
    super("closed", `The connection to the host is closed: ${reason}.`);
  }
}

interface Pending<T> {
  resolve(value: T): void;
  reject(error: RoundtableError): void;
}

interface Followed {
  readonly sessionId: string;
  readonly feed: Feed;
  readonly onEvents: (events: readonly SessionEvent[]) => void;
  readonly options: SubscribeOptions;
}

interface OpenFeed {
  feed: Feed;
  /** True until the reply to subscribe: events that arrive before it belong to an earlier subscription. */
  isSubscribing: boolean;
  /** Position of the last gap; the same gap a second time cannot be filled by subscribing again. */
  gapAtSeq: number | undefined;
  onEvents: (events: readonly SessionEvent[]) => void;
  options: SubscribeOptions;
}

export class WireClient extends HostCalls implements Client {
  readonly clientId: string;
  host = { hostId: "", version: "" };
  readonly #connection: ClientConnection;
  readonly #replies = new Map<string, Pending<Json>>();
  readonly #acks = new Map<string, Pending<Ack>>();
  readonly #feeds = new Map<string, OpenFeed>();
  readonly #newsListeners: ((news: SessionNews) => void)[] = [];
  readonly #closeListeners: ((reason: string) => void)[] = [];
  #uploads: Promise<unknown> = Promise.resolve();
  readonly #welcome = Promise.withResolvers<void>();
  #closed: string | undefined;

  constructor(connection: ClientConnection, clientId: string, onReceive?: () => void) {
    super();
    this.#connection = connection;
    this.clientId = clientId;
    // The welcome may fail after its timeout, when nothing awaits it any more.
    this.#welcome.promise.catch(() => {});
    connection.onFrame((frame) => {
      onReceive?.();
      this.#onFrame(frame);
    });
    connection.onClose((reason) => this.#settleAll(reason));
    connection.send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId });
  }

  welcomed(clock: Clock, openMs: number): Promise<void> {
    const cancel = clock.after(openMs, () => this.#connection.close(`the host did not answer for ${openMs / 1000} s`));
    return this.#welcome.promise.finally(cancel);
  }

  async followList(listener: (news: SessionNews) => void): Promise<void> {
    this.#newsListeners.push(listener);
    await this.request({ frame: "follow_list" });
  }

  putBlob(sessionId: string, bytes: Uint8Array<ArrayBuffer>): Promise<BlobRef> {
    const send = (part: BlobPart) => this.request<BlobPartAnswer>({ frame: "put_blob", sessionId, ...part });
    const upload = this.#uploads.then(() => putBlob(send, bytes));
    // One upload at a time per connection; a failed one does not stop the next.
    this.#uploads = upload.catch(() => {});
    return upload;
  }

  async subscribe(
    sessionId: string,
    cursor: Cursor,
    onEvents: (events: readonly SessionEvent[]) => void,
    options: SubscribeOptions = {},
  ): Promise<Subscription> {
    options.signal?.throwIfAborted();
    const feed = createFeed(cursor);
    const close = (): void => this.unfollow(sessionId, feed);
    options.signal?.addEventListener("abort", close, { once: true });
    const head = await this.follow({ sessionId, feed, onEvents, options });
    return {
      get cursor() {
        return feed.cursor;
      },
      head,
      close,
    };
  }

  /** Continues a feed that may have begun on an earlier connection. Resolves with the head of the log. */
  async follow({ sessionId, feed, onEvents, options }: Followed): Promise<Cursor> {
    if (this.#feeds.has(sessionId)) {
      throw new RoundtableError("conflict", `This client is already subscribed to session ${sessionId}.`);
    }
    const open: OpenFeed = { feed, isSubscribing: true, gapAtSeq: undefined, onEvents, options };
    this.#feeds.set(sessionId, open);
    try {
      return await this.#subscribeFrom(sessionId, open);
    } catch (error) {
      this.#drop(sessionId, feed);
      throw error;
    }
  }

  unfollow(sessionId: string, feed: Feed): void {
    if (this.#drop(sessionId, feed)) this.#connection.send({ frame: "unsubscribe", sessionId });
  }

  command(sessionId: string, command: CommandBody): Promise<Ack> {
    return this.issue(sessionId, { ...command, commandId: newId() });
  }

  issue(sessionId: string, command: Command): Promise<Ack> {
    return this.#wait(this.#acks, command.commandId, { frame: "command", sessionId, command });
  }

  onClose(listener: (reason: string) => void): void {
    if (this.#closed === undefined) this.#closeListeners.push(listener);
    else listener(this.#closed);
  }

  close(): void {
    this.#connection.close("the client closed the connection");
  }

  request<Result>(body: RequestBody): Promise<Result> {
    return this.#request(body) as Promise<Result>;
  }

  #request(body: RequestBody, onReply?: () => void): Promise<unknown> {
    const id = newId();
    return this.#wait(this.#replies, id, { ...body, id }, onReply);
  }

  #wait<T>(pending: Map<string, Pending<T>>, id: string, frame: ClientFrame, onAnswer?: () => void): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(new ConnectionLostError(this.#closed));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    pending.set(id, {
      resolve(value) {
        onAnswer?.();
        resolve(value);
      },
      reject,
    });
    this.#connection.send(frame);
    return promise;
  }

  #subscribeFrom(sessionId: string, open: OpenFeed): Promise<Cursor> {
    open.isSubscribing = true;
    const body: RequestBody = { frame: "subscribe", sessionId, cursor: open.feed.cursor };
    // Cleared synchronously with the reply: the very next frame is the first of this subscription.
    return this.#request(body, () => (open.isSubscribing = false)) as Promise<Cursor>;
  }

  #drop(sessionId: string, feed: Feed): boolean {
    return this.#feeds.get(sessionId)?.feed === feed && this.#feeds.delete(sessionId);
  }

  #onFrame(frame: HostFrame): void {
    switch (frame.frame) {
      case "welcome":
        return this.#onWelcome(frame);
      case "reply": {
        const pending = this.#replies.get(frame.id);
        this.#replies.delete(frame.id);
        return frame.ok ? pending?.resolve(frame.result) : pending?.reject(fromAnswerError(frame.error));
      }
      case "ack": {
        const pending = this.#acks.get(frame.ack.commandId);
        this.#acks.delete(frame.ack.commandId);
        return pending?.resolve(frame.ack);
      }
      case "events":
        return this.#onEvents(frame.sessionId, frame.events);
      case "heartbeat":
        return this.#onHeartbeat(frame.sessionId, { epoch: frame.epoch, seq: frame.seq });
      case "resync":
        return this.#endFeed(frame.sessionId, frame.reason);
      case "sessions": {
        const { frame: _name, ...news } = frame;
        return this.#newsListeners.forEach((listener) => listener(news));
      }
      case "store":
        return this.emitStore({ sessionId: frame.sessionId, state: frame.state, message: frame.message });
      case "shutdown":
        return this.emitShutdown(frame.reason);
    }
  }

  #onWelcome(frame: Extract<HostFrame, { frame: "welcome" }>): void {
    this.host = { hostId: frame.hostId, version: frame.version };
    if (frame.protocol === PROTOCOL_VERSION) return this.#welcome.resolve();
    const message =
      `The host (version ${frame.version}) uses protocol ${frame.protocol}, this client ${PROTOCOL_VERSION}. ` +
      "Update and restart the older of the two.";
    this.#welcome.reject(new RoundtableError("version_mismatch", message));
    this.#connection.close(message);
  }

  #onEvents(sessionId: string, events: readonly SessionEvent[]): void {
    const open = this.#feeds.get(sessionId);
    if (open === undefined || open.isSubscribing) return;
    const { fresh, hasGap } = open.feed.accept(events);
    if (fresh.length > 0) open.onEvents(fresh);
    if (hasGap) this.#fillGap(sessionId, open);
  }

  #onHeartbeat(sessionId: string, head: Cursor): void {
    const open = this.#feeds.get(sessionId);
    if (open === undefined || open.isSubscribing) return;
    open.options.onHeartbeat?.(head);
    if (open.feed.isLeftBehind(head.seq)) this.#fillGap(sessionId, open);
  }

  #fillGap(sessionId: string, open: OpenFeed): void {
    // The listener may have closed the subscription while it handled the events before the gap.
    if (this.#feeds.get(sessionId) !== open) return;
    const seq = open.feed.cursor.seq;
    if (open.gapAtSeq === seq) {
      this.#connection.send({ frame: "unsubscribe", sessionId });
      return this.#endFeed(sessionId, `the host cannot deliver the events after seq ${seq}`);
    }
    open.gapAtSeq = seq;
    this.#subscribeFrom(sessionId, open).catch((error: unknown) => {
      this.#endFeed(sessionId, error instanceof Error ? error.message : String(error));
    });
  }

  #endFeed(sessionId: string, reason: string): void {
    const open = this.#feeds.get(sessionId);
    if (open === undefined) return;
    this.#feeds.delete(sessionId);
    open.options.onResync?.(reason);
  }

  #settleAll(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    const error = new ConnectionLostError(reason);
    this.#welcome.reject(error);
    for (const pending of [...this.#replies.values(), ...this.#acks.values()]) pending.reject(error);
    this.#replies.clear();
    this.#acks.clear();
    this.#feeds.clear();
    for (const listener of this.#closeListeners) listener(reason);
  }
}
