/** Port to the process that holds a session: this one (`local-endpoint.ts`) or another (`remote-endpoint.ts`). */
import type { Ack, Command, Cursor, SessionEvent, StoreState } from "../../protocol/index.ts";

export interface SessionEndpoint {
  /** Answered by `sink.acked`, unless the endpoint is lost first. */
  command(command: Command): void;
  /**
   * Calls `onReady` with the log's head, then feeds the sink with every event after the cursor. Rejects when the
   * endpoint is lost or refuses. At most one subscription at a time.
   */
  subscribe(cursor: Cursor, onReady: (head: Cursor) => void): Promise<void>;
  unsubscribe(): void;
  /** Releases the endpoint; nothing reaches the sink afterwards. */
  leave(): void;
  /** Lost or released: it answers nothing any more. */
  readonly isOver: boolean;
}

export interface EndpointSink {
  acked(ack: Ack): void;
  /** The endpoint sends no more events while the returned promise is pending. */
  readonly events: (events: readonly SessionEvent[]) => void | Promise<void>;
  heartbeat(head: Cursor): void;
  store(state: StoreState, message: string): void;
  /** The subscription has ended: the cursor cannot be served. */
  resync(reason: string): void;
  /** The holder is gone or has closed the session. Unacknowledged commands may or may not have taken effect. */
  lost(reason: string): void;
}

/** Thrown by `subscribe` when the endpoint is lost; the caller finds the session's new endpoint. */
export class EndpointLostError extends Error {
  override readonly name = "EndpointLostError";
}

export const HEARTBEAT_MS = 15_000;
