/**
 * Every request that is one frame and one reply, with whether it may be sent again after the connection was lost. Both
 * clients inherit the calls and differ in `request` alone.
 */
import type {
  ClientFrame,
  Json,
  MemberSpec,
  SearchAnswer,
  SearchQuery,
  SessionSummary,
  Settings,
  SnapshotFrame,
  StoreState,
  TrashedSession,
} from "../protocol/index.ts";

export interface CreateRequest {
  cwd: string;
  title: string;
  settings: Settings;
  members: MemberSpec[];
}

export interface DeleteOptions {
  /** Delete only when the session has no messages. */
  readonly ifEmpty?: true;
}

export interface StoreNotice {
  sessionId: string;
  state: StoreState;
  message: string;
}

type RequestFrame = Exclude<ClientFrame, { frame: "hello" | "unsubscribe" | "command" }>;
/** A request frame without its id. */
export type RequestBody = RequestFrame extends infer One
  ? One extends { id: string }
    ? Omit<One, "id">
    : never
  : never;

/** A call that changes something is not repeated: the lost connection may have carried it. */
type Repeat = "repeatable" | "once";

export abstract class HostCalls {
  readonly #storeListeners: ((notice: StoreNotice) => void)[] = [];
  readonly #shutdownListeners: ((reason: string) => void)[] = [];

  protected abstract request<Result>(body: RequestBody, repeat: Repeat): Promise<Result>;

  list(): Promise<SessionSummary[]> {
    return this.request({ frame: "list" }, "repeatable");
  }

  /** Searches all sessions, newest match first. Rejects with "bad_command" when the query is empty. */
  search(query: SearchQuery): Promise<SearchAnswer> {
    return this.request({ frame: "search", query }, "repeatable");
  }

  create(request: CreateRequest): Promise<{ sessionId: string }> {
    return this.request({ frame: "create", ...request }, "once");
  }

  snapshot(sessionId: string): Promise<SnapshotFrame> {
    return this.request({ frame: "snapshot", sessionId }, "repeatable");
  }

  /** One page of messages, in the format of `transcript/`. */
  page(sessionId: string, page: number): Promise<Json> {
    return this.request({ frame: "page", sessionId, page }, "repeatable");
  }

  /**
   * Moves the session to the trash. Rejects with "busy" while a turn runs, and with "conflict" when `ifEmpty` is set
   * and the session has messages. Subscribers get a resync, then "not_found".
   */
  async deleteSession(sessionId: string, options: DeleteOptions = {}): Promise<void> {
    await this.request({ frame: "delete", sessionId, ...options }, "once");
  }

  async restoreSession(sessionId: string): Promise<void> {
    await this.request({ frame: "restore", sessionId }, "once");
  }

  /** Deleted sessions, the latest first. */
  trash(): Promise<TrashedSession[]> {
    return this.request({ frame: "trash" }, "repeatable");
  }

  /** Compresses the log of an archived session. */
  compressSession(sessionId: string): Promise<{ plainBytes: number; bytes: number }> {
    return this.request({ frame: "compress", sessionId }, "once");
  }

  onStore(listener: (notice: StoreNotice) => void): void {
    this.#storeListeners.push(listener);
  }

  onShutdown(listener: (reason: string) => void): void {
    this.#shutdownListeners.push(listener);
  }

  protected emitStore(notice: StoreNotice): void {
    for (const listener of this.#storeListeners) listener(notice);
  }

  protected emitShutdown(reason: string): void {
    for (const listener of this.#shutdownListeners) listener(reason);
  }
}
