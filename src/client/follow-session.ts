/**
 * The current state of one session: a snapshot, then every event after it, folded. Starts over when the host demands a
 * resync. The caller passes the fold, so that `client/` does not depend on `transcript/`.
 */
import type { Cursor, SessionEvent, SnapshotFrame } from "../protocol/index.ts";
import type { Client, Subscription } from "./client-port.ts";

export interface Fold<State> {
  empty(sessionId: string): State;
  /** Undefined when the snapshot has another version; then all events are folded from the start. */
  fromSnapshot(snapshot: SnapshotFrame): State | undefined;
  fold(state: State, events: readonly SessionEvent[]): State;
  cursorOf(state: State): Cursor;
}

export interface FollowOptions<State> {
  readonly fold: Fold<State>;
  /** Called with the first state and after every change. */
  readonly onChange: (state: State) => void;
  /** The session can no longer be followed on this connection. */
  readonly onLost: (error: Error) => void;
  /** Ends the follow as `close` does; before it is established, it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface FollowedSession<State> {
  readonly state: State;
  /** Merges data that did not come as events, such as an older page. */
  update(change: (state: State) => State): void;
  close(): void;
}

export async function followSession<State extends object>(
  client: Client,
  sessionId: string,
  { fold, onChange, onLost, signal }: FollowOptions<State>,
): Promise<FollowedSession<State>> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const { signal: end } = ending;
  let subscription: Subscription | undefined;
  signal?.addEventListener("abort", close, { once: true });
  let state: State = await read();

  async function read(): Promise<State> {
    const snapshot = await client.snapshot(sessionId);
    // An aborted follow must not subscribe: it would displace a newer one of the same session.
    end.throwIfAborted();
    return fold.fromSnapshot(snapshot) ?? fold.empty(sessionId);
  }

  function change(next: State): void {
    state = next;
    if (!end.aborted) onChange(state);
  }

  async function subscribe(): Promise<void> {
    const applyEvents = (events: readonly SessionEvent[]) => change(fold.fold(state, events));
    const options = { onResync: () => void resync(), signal: end };
    subscription = await client.subscribe(sessionId, fold.cursorOf(state), applyEvents, options);
    if (end.aborted) subscription.close();
  }

  async function resync(): Promise<void> {
    if (end.aborted) return;
    try {
      change(await read());
      await subscribe();
    } catch (error) {
      if (!end.aborted) onLost(error instanceof Error ? error : new Error(String(error)));
    }
  }

  function close(): void {
    ending.abort(signal?.reason);
    subscription?.close();
  }

  change(state);
  await subscribe();
  return {
    get state() {
      return state;
    },
    update: (how) => change(how(state)),
    close,
  };
}
