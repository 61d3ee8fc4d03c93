/**
 * What a view or a script holds of a host: calls with answers, commands with acknowledgements, and events from a cursor
 * on. Promises: per subscription every event once and in seq order, holes are asked for again; when the connection
 * closes every call under way is rejected with code "closed", and nothing is repeated behind the caller's back.
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
  type SearchAnswer,
  type SearchQuery,
  type SessionEvent,
  type SessionNews,
  type SessionSummary,
  type SnapshotFrame,
  type TrashedSession,
} from "../protocol/index.ts";
import { createFeed, type Feed } from "./feed.ts";
import { putBlob } from "./put-blob.ts";
import type {
  Client,
  ClientOptions,
  CommandBody,
  CreateRequest,
  DeleteOptions,
  StoreNotice,
  SubscribeOptions,
  Subscription,
} from "./client-port.ts";

/** A host that accepts a connection but says nothing for this long is taken for stopped. */
const WELCOME_TIMEOUT_MS = 10_000;

/** Rejects with "version_mismatch" when the host speaks another protocol, with "closed" when it does not answer. */
export function createClient(connect: () => Promise<ClientConnection>, options: ClientOptions = {}): Promise<Client> {
  return openWireClient(connect, options);
}

export async function openWireClient(
  connect: () => Promise<ClientConnection>,
  { clientId = newId(), clock = systemClock, openMs = WELCOME_TIMEOUT_MS }: ClientOptions = {},
): Promise<WireClient> {
  const client = new WireClient(await connect(), clientId);
  await client.welcomed(clock, openMs);
  return client;
}

/** The connection went away under a call: the host may have heard of it or not, and will not answer. */
export class ConnectionLostError extends RoundtableError {
  constructor(reason: string) {
    super("closed", `The connection to the host is closed: ${reason}.`);
  }
}

interface Waiting<T> {
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
  /** Set while a subscribe is under way: what arrives until its reply belongs to an older one. */
  asking: boolean;
  /** Where the last hole was; a hole that comes back at the same place cannot be filled by asking again. */
  holeAtSeq: number | undefined;
  onEvents: (events: readonly SessionEvent[]) => void;
  options: SubscribeOptions;
}

type Asking = Exclude<ClientFrame, { frame: "hello" | "unsubscribe" | "command" }>;
type Question = Asking extends infer One ? (One extends { id: string } ? Omit<One, "id"> : never) : never;

export class WireClient implements Client {
  readonly clientId: string;
  host = { hostId: "", version: "" };
  readonly #connection: ClientConnection;
  readonly #replies = new Map<string, Waiting<Json>>();
  readonly #acks = new Map<string, Waiting<Ack>>();
  readonly #feeds = new Map<string, OpenFeed>();
  readonly #newsListeners: ((news: SessionNews) => void)[] = [];
  readonly #closeListeners: ((reason: string) => void)[] = [];
  readonly #storeListeners: ((notice: StoreNotice) => void)[] = [];
  readonly #shutdownListeners: ((reason: string) => void)[] = [];
  #uploads: Promise<unknown> = Promise.resolve();
  readonly #welcome = Promise.withResolvers<void>();
  #closed: string | undefined;

  constructor(connection: ClientConnection, clientId: string) {
    this.#connection = connection;
    this.clientId = clientId;
    // Nobody may be waiting any more when a late failure arrives.
    this.#welcome.promise.catch(() => {});
    connection.onFrame((frame) => this.#onFrame(frame));
    connection.onClose((reason) => this.#settleAll(reason));
    connection.send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId });
  }

  welcomed(clock: Clock, openMs: number): Promise<void> {
    const cancel = clock.after(openMs, () => this.#connection.close(`the host did not answer for ${openMs / 1000} s`));
    return this.#welcome.promise.finally(cancel);
  }

  async list(): Promise<SessionSummary[]> {
    return (await this.#ask({ frame: "list" })) as SessionSummary[];
  }

  async search(query: SearchQuery): Promise<SearchAnswer> {
    return (await this.#ask({ frame: "search", query })) as SearchAnswer;
  }

  async followList(listener: (news: SessionNews) => void): Promise<void> {
    this.#newsListeners.push(listener);
    await this.#ask({ frame: "follow_list" });
  }

  async create(request: CreateRequest): Promise<{ sessionId: string }> {
    return (await this.#ask({ frame: "create", ...request })) as { sessionId: string };
  }

  async snapshot(sessionId: string): Promise<SnapshotFrame> {
    return (await this.#ask({ frame: "snapshot", sessionId })) as SnapshotFrame;
  }

  page(sessionId: string, page: number): Promise<Json> {
    return this.#ask({ frame: "page", sessionId, page });
  }

  async deleteSession(sessionId: string, options: DeleteOptions = {}): Promise<void> {
    await this.#ask({ frame: "delete", sessionId, ...options });
  }

  async restoreSession(sessionId: string): Promise<void> {
    await this.#ask({ frame: "restore", sessionId });
  }

  async trash(): Promise<TrashedSession[]> {
    return (await this.#ask({ frame: "trash" })) as TrashedSession[];
  }

  async compressSession(sessionId: string): Promise<{ plainBytes: number; bytes: number }> {
    return (await this.#ask({ frame: "compress", sessionId })) as { plainBytes: number; bytes: number };
  }

  putBlob(sessionId: string, bytes: Uint8Array<ArrayBuffer>): Promise<BlobRef> {
    const send = async (part: BlobPart) =>
      (await this.#ask({ frame: "put_blob", sessionId, ...part })) as unknown as BlobPartAnswer;
    const upload = this.#uploads.then(() => putBlob(send, bytes));
    // One file at a time on a connection; the next one does not depend on this one.
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

  /** Goes on with a feed that may have begun on an earlier connection. Resolves with the head of the log. */
  async follow({ sessionId, feed, onEvents, options }: Followed): Promise<Cursor> {
    if (this.#feeds.has(sessionId)) {
      throw new RoundtableError("conflict", `This client already follows session ${sessionId}.`);
    }
    const open: OpenFeed = { feed, asking: true, holeAtSeq: undefined, onEvents, options };
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

  onStore(listener: (notice: StoreNotice) => void): void {
    this.#storeListeners.push(listener);
  }

  onShutdown(listener: (reason: string) => void): void {
    this.#shutdownListeners.push(listener);
  }

  close(): void {
    this.#connection.close("the client closed the connection");
  }

  #ask(question: Question, onReply?: () => void): Promise<Json> {
    const id = newId();
    return this.#wait(this.#replies, id, { ...question, id }, onReply);
  }

  #wait<T>(waiting: Map<string, Waiting<T>>, id: string, frame: ClientFrame, onAnswer?: () => void): Promise<T> {
    if (this.#closed !== undefined) return Promise.reject(new ConnectionLostError(this.#closed));
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    waiting.set(id, {
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
    open.asking = true;
    const question: Question = { frame: "subscribe", sessionId, cursor: open.feed.cursor };
    // The flag falls in the step that reads the reply: the very next frame is already the first of this feed.
    return this.#ask(question, () => (open.asking = false)) as Promise<unknown> as Promise<Cursor>;
  }

  #drop(sessionId: string, feed: Feed): boolean {
    return this.#feeds.get(sessionId)?.feed === feed && this.#feeds.delete(sessionId);
  }

  #onFrame(frame: HostFrame): void {
    switch (frame.frame) {
      case "welcome":
        return this.#onWelcome(frame);
      case "reply": {
        const waiting = this.#replies.get(frame.id);
        this.#replies.delete(frame.id);
        return frame.ok ? waiting?.resolve(frame.result) : waiting?.reject(fromAnswerError(frame.error));
      }
      case "ack": {
        const waiting = this.#acks.get(frame.ack.commandId);
        this.#acks.delete(frame.ack.commandId);
        return waiting?.resolve(frame.ack);
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
        return this.#storeListeners.forEach((listener) =>
          listener({ sessionId: frame.sessionId, state: frame.state, message: frame.message }),
        );
      case "shutdown":
        return this.#shutdownListeners.forEach((listener) => listener(frame.reason));
    }
  }

  #onWelcome(frame: Extract<HostFrame, { frame: "welcome" }>): void {
    this.host = { hostId: frame.hostId, version: frame.version };
    if (frame.protocol === PROTOCOL_VERSION) return this.#welcome.resolve();
    const message =
      `The host (version ${frame.version}) speaks protocol ${frame.protocol}, this client ${PROTOCOL_VERSION}. ` +
      "Stop the older of the two and start it again.";
    this.#welcome.reject(new RoundtableError("version_mismatch", message));
    this.#connection.close(message);
  }

  #onEvents(sessionId: string, events: readonly SessionEvent[]): void {
    const open = this.#feeds.get(sessionId);
    if (open === undefined || open.asking) return;
    const { fresh, hasGap } = open.feed.accept(events);
    if (fresh.length > 0) open.onEvents(fresh);
    if (hasGap) this.#fillHole(sessionId, open);
  }

  #onHeartbeat(sessionId: string, head: Cursor): void {
    const open = this.#feeds.get(sessionId);
    if (open === undefined || open.asking) return;
    open.options.onHeartbeat?.(head);
    if (open.feed.isLeftBehind(head.seq)) this.#fillHole(sessionId, open);
  }

  #fillHole(sessionId: string, open: OpenFeed): void {
    // The listener may have closed the subscription while it was handed the events before the hole.
    if (this.#feeds.get(sessionId) !== open) return;
    const seq = open.feed.cursor.seq;
    if (open.holeAtSeq === seq) {
      this.#connection.send({ frame: "unsubscribe", sessionId });
      return this.#endFeed(sessionId, `the host cannot give the events after seq ${seq}`);
    }
    open.holeAtSeq = seq;
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
    for (const waiting of [...this.#replies.values(), ...this.#acks.values()]) waiting.reject(error);
    this.#replies.clear();
    this.#acks.clear();
    this.#feeds.clear();
    for (const listener of this.#closeListeners) listener(reason);
  }
}
