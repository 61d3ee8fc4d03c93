/** The current state of one session: a snapshot, then every event after it, folded. Starts over on a resync. */
import type { Cursor, SessionEvent, SnapshotFrame } from "../protocol/index.ts";
import { empty, fold, fromSnapshot, withPage, type Transcript } from "../transcript/index.ts";
import type { Client, Subscription } from "./client-port.ts";

export interface Fold<State> {
  empty(sessionId: string): State;
  /** Undefined when the snapshot has another version; then all events are folded from the start. */
  fromSnapshot(snapshot: SnapshotFrame): State | undefined;
  fold(state: State, events: readonly SessionEvent[]): State;
  cursorOf(state: State): Cursor;
}

export const transcriptFold: Fold<Transcript> = {
  empty,
  fromSnapshot,
  fold,
  cursorOf: ({ head }) => ({ epoch: head.epoch, seq: head.seq }),
};

export interface FollowOptions<State> {
  readonly fold: Fold<State>;
  /** Fold all events from the beginning instead of starting with a snapshot. */
  readonly isFromBeginning?: boolean;
  /** Called with the first state and after every change, with the events that were folded. */
  readonly onChange: (state: State, events: readonly SessionEvent[]) => void;
  /** The session can no longer be followed on this connection. */
  readonly onLost: (error: Error) => void;
  /** Ends the follow as `close` does; before it is established, it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface FollowedSession<State> {
  readonly state: State;
  /** The end of the log when the session was opened for this follow; what came before is replay. */
  readonly head: Cursor;
  /** Merges data that did not come as events, such as an older page. */
  update(change: (state: State) => State): void;
  close(): void;
}

export async function followSession<State extends object>(
  client: Client,
  sessionId: string,
  { fold, isFromBeginning = false, onChange, onLost, signal }: FollowOptions<State>,
): Promise<FollowedSession<State>> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  const { signal: end } = ending;
  let subscription: Subscription | undefined;
  signal?.addEventListener("abort", close, { once: true });
  let state: State = isFromBeginning ? fold.empty(sessionId) : await read();

  async function read(): Promise<State> {
    const snapshot = await client.snapshot(sessionId);
    // An aborted follow must not subscribe: it would displace a newer one of the same session.
    end.throwIfAborted();
    return fold.fromSnapshot(snapshot) ?? fold.empty(sessionId);
  }

  function change(next: State, events: readonly SessionEvent[] = []): void {
    state = next;
    if (!end.aborted) onChange(state, events);
  }

  async function subscribe(): Promise<void> {
    const applyEvents = (events: readonly SessionEvent[]) => change(fold.fold(state, events), events);
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
    get head() {
      return subscription?.head ?? fold.cursorOf(state);
    },
    update: (how) => change(how(state)),
    close,
  };
}

/** The host answers, but the session no longer exists. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "unknown_session";
}

export interface SessionView {
  readonly transcript: Transcript;
  /** As of `FollowedSession`. */
  readonly head: Cursor;
  close(): void;
}

export interface ViewOptions {
  readonly from: "beginning" | "now";
  /** Called after every change, with the events that are new since the start of the view. */
  readonly onChange: (transcript: Transcript, events: readonly SessionEvent[]) => void;
  readonly onLost: (error: Error) => void;
}

/** Live transcript of a session. */
export async function viewSession(
  client: Client,
  sessionId: string,
  { from, onChange, onLost }: ViewOptions,
): Promise<SessionView> {
  let seenSeq: number | undefined;
  const session = await followSession(client, sessionId, {
    fold: transcriptFold,
    isFromBeginning: from === "beginning",
    onChange(transcript, events) {
      const before = seenSeq;
      seenSeq = Math.max(before ?? 0, transcript.head.seq);
      // The first state is what the view starts with, not a change.
      if (before !== undefined) {
        onChange(
          transcript,
          events.filter((event) => event.seq > before),
        );
      }
    },
    onLost,
  });
  return {
    get transcript() {
      return session.state;
    },
    get head() {
      return session.head;
    },
    close: () => session.close(),
  };
}

/** The whole transcript, with every page in memory. Takes no lock. */
export async function readTranscript(client: Client, sessionId: string): Promise<Transcript> {
  let transcript = await readHead(client, sessionId);
  for (const [index, page] of transcript.frozen.entries()) {
    if (page === undefined) transcript = withPage(transcript, index, await client.page(sessionId, index));
  }
  return transcript;
}

/** The current transcript without its older pages; empty when the snapshot has another fold version. */
export async function readHead(client: Client, sessionId: string): Promise<Transcript> {
  return fromSnapshot(await client.snapshot(sessionId)) ?? empty(sessionId);
}
