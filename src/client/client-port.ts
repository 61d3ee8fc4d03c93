/** What a client of a host can do; `createClient` makes one for one connection, `createLastingClient` one that outlives it. */
import type { Clock } from "../kit/clock.ts";
import type {
  Ack,
  BlobRef,
  Command,
  Cursor,
  Json,
  MemberSpec,
  SearchAnswer,
  SearchQuery,
  SessionEvent,
  SessionNews,
  SessionSummary,
  Settings,
  SnapshotFrame,
  StoreState,
  TrashedSession,
} from "../protocol/index.ts";

type WithoutId<T> = T extends unknown ? Omit<T, "commandId"> : never;
export type CommandBody = WithoutId<Command>;

export interface CreateRequest {
  cwd: string;
  title: string;
  settings: Settings;
  members: MemberSpec[];
}

export interface SubscribeOptions {
  /** The host cannot go on from this cursor: take a new snapshot and subscribe again. The subscription has ended. */
  onResync?: (reason: string) => void;
  onHeartbeat?: (head: Cursor) => void;
  /** Ends it as `close` does, also before it is established: the session can be subscribed to again in the same step. */
  signal?: AbortSignal | undefined;
}

export interface DeleteOptions {
  /** Only while nobody has said anything in it. */
  readonly ifEmpty?: true;
}

export interface StoreNotice {
  sessionId: string;
  state: StoreState;
  message: string;
}

export interface Subscription {
  /** The last event that was handed out. */
  readonly cursor: Cursor;
  /** Where the log stood when the subscription began; events up to here are replay. */
  readonly head: Cursor;
  close(): void;
}

export interface Client {
  readonly clientId: string;
  readonly host: { readonly hostId: string; readonly version: string };
  list(): Promise<SessionSummary[]>;
  /** What was said and done in all sessions, newest first. Rejects with "bad_command" when there is nothing to look for. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** All sessions at first, then whatever changes, over as many connections as there are; each begins with all again. */
  followList(listener: (news: SessionNews) => void): Promise<void>;
  create(request: CreateRequest): Promise<{ sessionId: string }>;
  snapshot(sessionId: string): Promise<SnapshotFrame>;
  /** One page of messages, as `transcript/` wrote it. */
  page(sessionId: string, page: number): Promise<Json>;
  /** One subscription a session; a second one is refused with code "conflict" until the first is closed. */
  subscribe(
    sessionId: string,
    cursor: Cursor,
    onEvents: (events: readonly SessionEvent[]) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /**
   * To the trash. Rejects with "busy" while a turn runs, and with "conflict" when it should go only if it is empty and
   * somebody has said something; followers of the session get a resync and find it gone.
   */
  deleteSession(sessionId: string, options?: DeleteOptions): Promise<void>;
  restoreSession(sessionId: string): Promise<void>;
  /** The latest deleted first. */
  trash(): Promise<TrashedSession[]>;
  /** Puts the log of an archived session away compressed. */
  compressSession(sessionId: string): Promise<{ plainBytes: number; bytes: number }>;
  /**
   * Stores a file that a message will name in its attachments; its type is found by looking at it. Rejects with
   * "too_large" beyond `ATTACHMENT_BYTES_MAX`, with "bad_command" for an empty one. `attachFile` makes an attachment of it.
   */
  putBlob(sessionId: string, bytes: Uint8Array<ArrayBuffer>): Promise<BlobRef>;
  /** Resolves with the acknowledgement, also when it is a refusal. */
  command(sessionId: string, command: CommandBody): Promise<Ack>;
  onClose(listener: (reason: string) => void): void;
  onStore(listener: (notice: StoreNotice) => void): void;
  onShutdown(listener: (reason: string) => void): void;
  close(): void;
}

export interface ClientOptions {
  clientId?: string;
  clock?: Clock;
  /** How long a try may take until the host has greeted us. */
  openMs?: number;
}

export interface ConnectionState {
  readonly state: "online" | "offline" | "reconnecting";
  /** Which try since the last connection that was of use; 0 while online. */
  readonly attempt: number;
  /** How long until the next try; 0 unless offline. */
  readonly nextInMs: number;
  /** Why the last connection or try ended; empty while online. */
  readonly reason: string;
}

/** What the surroundings know before we do: the network is back or gone, or somebody looks at the page again. */
export type ConnectionHint = "online" | "visible" | "offline";

export interface LastingClient extends Client {
  readonly state: ConnectionState;
  /** A command that is given up by its signal before it was answered is rejected with the signal's reason, and not sent again. */
  command(sessionId: string, command: CommandBody, options?: { readonly signal?: AbortSignal }): Promise<Ack>;
  /** Called at every change from now on. `onClose` is called once, when there will be no further try. */
  onState(listener: (state: ConnectionState) => void): void;
  /** Tries at once when offline; asks the host for a sign of life when online. "offline" drops the connection at once. */
  hint(hint: ConnectionHint): void;
}

export interface LastingClientOptions extends ClientOptions {
  /** In [0, 1), for the jitter. */
  random?: () => number;
  /** How often the host is asked for a sign of life. */
  quietMs?: number;
  /** How long it may be silent after that. */
  answerMs?: number;
}
