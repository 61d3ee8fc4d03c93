/**
 * One session that clients of assistant subscribe to: followed once, mapped once, sent to all. Starts with a snapshot;
 * after a resync the clients are told to reload the session.
 */
import { createClient, createConnectionPair, type Client } from "../../../src/client/index.ts";
import type { Clock } from "../../../src/kit/clock.ts";
import { RoundtableError, type SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fromSnapshot, type Transcript } from "../../../src/transcript/index.ts";
import * as assistant from "../format/assistant.ts";
import type { ServedHost } from "../../../src/server/index.ts";

/** Client id shared by all connections: a page may stop what another one started. */
export const CLIENT_ID = assistant.ASSISTANT_CLIENT;

/** Limits on frames held back while a page loads; more are sent at once. */
const HELD_MAX = 10_000;
export const HELD_CHARS_MAX = 8 * 1024 * 1024;

interface HeldFrame {
  readonly mapped: assistant.MappedFrame;
  readonly text: string;
  /** Seq of the source event. */
  readonly seq: number;
}

export interface RoomListener {
  /** Interactions are sent only to clients that support them. */
  knowsInteractions(): boolean;
  /** In order. `text` is the frame as JSON, the same for all. */
  onFrame(mapped: assistant.MappedFrame, text: string): void;
  /** The stream so far may have gaps. */
  restart(): void;
  lost(reason: string): void;
}

export interface RoomOptions {
  readonly host: ServedHost;
  readonly clock: Clock;
  readonly sessionId: string;
  /** The clients' id of the session. */
  readonly name: string;
  /** No client is subscribed, or none can be. */
  readonly onEmpty: () => void;
}

export class SessionRoom {
  readonly name: string;
  readonly sessionId: string;
  readonly #options: RoomOptions;
  readonly #listeners = new Set<RoomListener>();
  readonly #watchers = new Set<(event: SessionEvent) => void>();
  readonly #opened: Promise<void>;
  #state: assistant.WireState;
  #client: Client | undefined;
  #headSeq = Infinity;
  #caughtUp: (() => void) | undefined;
  /** Frames held back while a page loads the session; undefined otherwise. */
  #held: HeldFrame[] | undefined;
  #heldChars = 0;
  #endHold: () => void = () => {};
  /** Created by this wire. */
  #isTitled = false;
  #isClosed = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: RoomOptions) {
    this.#options = options;
    this.name = options.name;
    this.sessionId = options.sessionId;
    this.#state = assistant.openWire(empty(options.sessionId));
    this.#opened = this.#open();
    // New subscribers get the error; without any it is ignored.
    this.#opened.catch(() => this.#close("it could not be opened"));
  }

  get transcript(): Transcript {
    return this.#state.transcript;
  }

  /** Current state for a new subscriber. */
  get busyFrames(): readonly assistant.MappedFrame[] {
    return assistant.busyFrames(this.#state, this.name);
  }

  /** Open requests for a client that now supports interactions. */
  get openInteractions(): readonly assistant.MappedFrame[] {
    return assistant.openInteractions(this.#state, this.name);
  }

  /** True when one of the listeners knows them. */
  get hasInteractions(): boolean {
    return Array.from(this.#listeners).some((listener) => listener.knowsInteractions());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when the room is closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Resolves when the room has caught up with the log; rejects for an unknown session. */
  opened(): Promise<void> {
    return this.#opened;
  }

  enter(listener: RoomListener): void {
    this.#listeners.add(listener);
  }

  leave(listener: RoomListener): void {
    this.#listeners.delete(listener);
    this.#closeIfEmpty();
  }

  /** Called with every event after it was sent; keeps the room open until the returned function is called. */
  watch(watcher: (event: SessionEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      this.#closeIfEmpty();
    };
  }

  /** Holds back later frames for that time, or until a client waits for them. */
  hold(ms: number): void {
    this.#endHold();
    if (this.#isClosed) return;
    this.#held ??= [];
    this.#endHold = this.#options.clock.after(ms, () => this.#release());
  }

  /** Resolves when the listeners have this event, or never will. */
  async reached(seq: number): Promise<void> {
    await this.#opened;
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => this.transcript.head.seq >= seq && resolve();
    const stop = this.watch(check);
    check();
    await Promise.race([promise, this.#ended.promise]);
    for (const entry of dequeueUpTo(this.#held ?? [], seq)) {
      this.#heldChars -= entry.text.length;
      this.#deliver(entry);
    }
    stop();
  }

  /** False when another message is about to name the session. */
  claimTitle(): boolean {
    if (this.#isTitled) return false;
    this.#isTitled = true;
    return true;
  }

  releaseTitle(): void {
    this.#isTitled = false;
  }

  close(reason: string): void {
    this.#close(reason);
  }

  async #open(): Promise<void> {
    const { host, clock } = this.#options;
    const [near, far] = createConnectionPair();
    host.serve(far);
    this.#client = await createClient(async () => near, { clientId: CLIENT_ID, clock });
    this.#client.onClose((reason) => this.#close(reason));
    await this.#follow(this.#client);
  }

  async #follow(client: Client): Promise<void> {
    const { sessionId } = this;
    const transcript = fromSnapshot(await client.snapshot(sessionId)) ?? empty(sessionId);
    this.#state = assistant.openWire(transcript);
    const { epoch, seq } = transcript.head;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#caughtUp = resolve;
    this.#headSeq = Infinity;
    const onResync = () => void this.#restart(client);
    const subscription = await client.subscribe(sessionId, { epoch, seq }, (events) => this.#onEvents(events), {
      onResync,
    });
    this.#headSeq = subscription.head.seq;
    this.#noteHead();
    await promise;
  }

  async #restart(client: Client): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#follow(client);
      this.#release();
      for (const listener of this.#listeners) listener.restart();
    } catch (error) {
      this.#close(error instanceof Error ? error.message : String(error));
    }
  }

  #onEvents(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if (this.#isClosed) return;
      const { state, frames } = assistant.mapEvent(this.#state, event, this.name);
      this.#state = state;
      for (const mapped of frames) this.#emit(mapped, event.seq);
      for (const watcher of this.#watchers) watcher(event);
    }
    this.#noteHead();
  }

  #emit(mapped: assistant.MappedFrame, seq: number): void {
    if (this.#listeners.size === 0) return;
    const entry = { mapped, text: JSON.stringify(mapped.frame), seq };
    if (this.#held === undefined) return this.#deliver(entry);
    this.#held.push(entry);
    this.#heldChars += entry.text.length;
    if (this.#held.length >= HELD_MAX || this.#heldChars > HELD_CHARS_MAX) this.#release();
  }

  #deliver({ mapped, text }: HeldFrame): void {
    for (const listener of this.#listeners) {
      if (mapped.isInteraction !== true || listener.knowsInteractions()) listener.onFrame(mapped, text);
    }
  }

  #release(): void {
    this.#endHold();
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#heldChars = 0;
    for (const entry of held) this.#deliver(entry);
  }

  #noteHead(): void {
    if (this.transcript.head.seq < this.#headSeq) return;
    this.#caughtUp?.();
    this.#caughtUp = undefined;
  }

  #closeIfEmpty(): void {
    if (this.#listeners.size === 0 && this.#watchers.size === 0) this.#close("nobody listens");
  }

  #close(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endHold();
    this.#ended.resolve();
    this.#options.onEmpty();
    const left = Array.from(this.#listeners);
    this.#listeners.clear();
    for (const listener of left) listener.lost(reason);
    this.#client?.close();
  }
}

/** In place: removed items are released. */
function dequeueUpTo(held: HeldFrame[], seq: number): HeldFrame[] {
  const rest = held.findIndex((entry) => entry.seq > seq);
  return held.splice(0, rest === -1 ? held.length : rest);
}

/** Rooms by session, each open while it has subscribers. */
export class SessionRooms {
  readonly #rooms = new Map<string, SessionRoom>();
  readonly #deps: Pick<RoomOptions, "host" | "clock">;

  constructor(deps: Pick<RoomOptions, "host" | "clock">) {
    this.#deps = deps;
  }

  /** The room, if it has subscribers. */
  find(sessionId: string): SessionRoom | undefined {
    return this.#rooms.get(sessionId);
  }

  /** Rejects with "unknown_session" also for a session that was deleted. */
  async open(sessionId: string, name: string): Promise<SessionRoom> {
    const existing = this.#rooms.get(sessionId);
    const room = existing ?? this.#create(sessionId, name);
    await room.opened();
    // Its last subscriber may just have left.
    if (room.isClosed) return this.open(sessionId, name);
    if (!room.transcript.head.archived) return room;
    if (existing === undefined) room.close("the session is deleted");
    throw new RoundtableError("unknown_session", `There is no session ${name}.`);
  }

  closeAll(reason: string): void {
    for (const room of this.#rooms.values()) room.close(reason);
  }

  #create(sessionId: string, name: string): SessionRoom {
    const onEmpty = () => this.#rooms.get(sessionId) === room && this.#rooms.delete(sessionId);
    const room: SessionRoom = new SessionRoom({ ...this.#deps, sessionId, name, onEmpty });
    this.#rooms.set(sessionId, room);
    return room;
  }
}
