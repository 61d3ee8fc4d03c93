/**
 * The interface of a client: `createClient` serves it over one connection, `createLastingClient` over as many as it
 * takes.
 */
import type { Clock } from "../kit/clock.ts";
import type { Ack, BlobRef, Command, Cursor, SessionEvent, SessionNews } from "../protocol/index.ts";
import type { HostCalls } from "./calls.ts";

type WithoutId<T> = T extends unknown ? Omit<T, "commandId"> : never;
export type CommandBody = WithoutId<Command>;

export interface SubscribeOptions {
  /** The host cannot continue from this cursor and has ended the subscription: fetch a snapshot and subscribe again. */
  onResync?: (reason: string) => void;
  onHeartbeat?: (head: Cursor) => void;
  /**
   * Ends the subscription as `close` does, also before it is established; the session can be subscribed to again at
   * once.
   */
  signal?: AbortSignal | undefined;
}

export interface Subscription {
  /** The last delivered event. */
  readonly cursor: Cursor;
  /** The end of the log when the subscription began; events up to here are replay. */
  readonly head: Cursor;
  close(): void;
}

export interface Client extends Pick<HostCalls, keyof HostCalls> {
  readonly clientId: string;
  readonly host: { readonly hostId: string; readonly version: string };
  /** The full list first, then changes. Every new connection starts with the full list again. */
  followList(listener: (news: SessionNews) => void): Promise<void>;
  /** One subscription per session; a second one is refused with code "conflict" until the first is closed. */
  subscribe(
    sessionId: string,
    cursor: Cursor,
    onEvents: (events: readonly SessionEvent[]) => void,
    options?: SubscribeOptions,
  ): Promise<Subscription>;
  /**
   * Uploads a file for the attachments of a message; the host detects its type. Rejects with "too_large" above
   * `ATTACHMENT_BYTES_MAX` and with "bad_command" for an empty file. `attachFile` turns the result into an attachment.
   */
  putBlob(sessionId: string, bytes: Uint8Array<ArrayBuffer>): Promise<BlobRef>;
  /** Resolves with the acknowledgement, also when it is a refusal. */
  command(sessionId: string, command: CommandBody): Promise<Ack>;
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

export interface ClientOptions {
  clientId?: string;
  clock?: Clock;
  /** Timeout for connecting until the host's welcome. */
  openMs?: number;
  /** Called when a frame arrives, before it is handled. */
  onReceive?: () => void;
}

export interface ConnectionState {
  readonly state: "online" | "offline" | "reconnecting";
  /** Attempts since the last useful connection; 0 while online. */
  readonly attempt: number;
  /** Delay until the next attempt; 0 unless offline. */
  readonly nextInMs: number;
  /** Why the last connection or attempt ended; empty while online. */
  readonly reason: string;
}

/** News of the environment: the network is back or gone, or the page is visible again. */
export type ConnectionHint = "online" | "visible" | "offline";

export interface LastingClient extends Client {
  readonly state: ConnectionState;
  /** Aborting the signal before the answer rejects with the signal's reason; the command is not sent again. */
  command(sessionId: string, command: CommandBody, options?: { readonly signal?: AbortSignal }): Promise<Ack>;
  /** Called at every change from now on. `onClose` is called once, when there will be no further attempt. */
  onState(listener: (state: ConnectionState) => void): void;
  /** Reconnects at once when offline, probes the host when online. "offline" drops the connection at once. */
  hint(hint: ConnectionHint): void;
}

export interface LastingClientOptions extends ClientOptions {
  /** Source of the jitter, in [0, 1). */
  random?: () => number;
  /** Interval of the liveness probes. */
  quietMs?: number;
  /** Timeout of a probe. */
  answerMs?: number;
}
