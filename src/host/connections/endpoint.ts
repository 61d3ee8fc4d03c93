/**
 * Where a session is written: in this process, or in the one that holds its lock. A link talks to either through this
 * port and does not know the difference.
 */
import type { Ack, Command, Cursor, SessionEvent, StoreState } from "../../protocol/index.ts";

export interface SessionEndpoint {
  /** The answer comes by `sink.acked`, unless the place is lost before. */
  command(command: Command): void;
  /**
   * Calls `onReady` with the log's head, then feeds the sink with every event after the cursor. Rejects when the place
   * is lost or refuses. At most one subscription at a time.
   */
  subscribe(cursor: Cursor, onReady: (head: Cursor) => void): Promise<void>;
  unsubscribe(): void;
  /** Gives the place up; nothing reaches the sink afterwards. */
  leave(): void;
  /** It was lost or given up: nobody is answered there any more. */
  readonly isOver: boolean;
}

export interface EndpointSink {
  acked(ack: Ack): void;
  /** While the returned promise is pending the place sends no more events. */
  events(events: readonly SessionEvent[]): void | Promise<void>;
  heartbeat(head: Cursor): void;
  store(state: StoreState, message: string): void;
  /** The subscription has ended: the cursor cannot be served. */
  resync(reason: string): void;
  /** The process behind the place is gone, or has closed the session. What was not acknowledged may or may not have happened. */
  lost(reason: string): void;
}

/** Thrown by `subscribe` when the place went away under it; the caller looks for the session's new place. */
export class EndpointLostError extends Error {
  override readonly name = "EndpointLostError";
}

export const HEARTBEAT_MS = 15_000;
