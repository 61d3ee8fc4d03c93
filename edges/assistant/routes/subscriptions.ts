/**
 * The sessions that one connection of assistant follows. Each is announced once with `session_ready`, then its frames
 * are passed on; a room that restarts is announced again, one that is lost closes the connection.
 */
import type { ServedHost } from "../../../src/server/index.ts";
import * as assistant from "../format/assistant.ts";
import type { LoadOrder } from "./load-order.ts";
import type { MarkStore } from "./session-marks.ts";
import { nameOrNewest, ourId } from "./session-names.ts";
import type { RoomListener, SessionRoom, SessionRooms } from "./session-room.ts";

export interface SubscriptionDeps {
  readonly host: ServedHost;
  readonly rooms: SessionRooms;
  readonly loads: LoadOrder;
  readonly marks: MarkStore;
}

export interface Modes {
  readonly inputMode: assistant.IoMode;
  readonly outputMode: assistant.IoMode;
}

/** What the subscriptions need of their connection. */
export interface Subscriber {
  readonly modes: Modes;
  readonly isClosed: boolean;
  send(frame: assistant.ServerFrame): void;
  /** `text` is the frame as JSON. */
  forward(mapped: assistant.MappedFrame, text: string): void;
  close(code: number, reason: string): void;
}

interface Subscription {
  readonly room: SessionRoom;
  readonly listener: RoomListener;
}

export class Subscriptions {
  readonly #deps: SubscriptionDeps;
  readonly #subscriber: Subscriber;
  readonly #byName = new Map<string, Subscription>();
  /** Sessions announced on this connection. */
  readonly #ready = new Set<string>();
  /** Whether the client can show requests. */
  knowsInteractions = false;

  constructor(deps: SubscriptionDeps, subscriber: Subscriber) {
    this.#deps = deps;
    this.#subscriber = subscriber;
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  get rooms(): readonly SessionRoom[] {
    return [...this.#byName.values()].map(({ room }) => room);
  }

  room(name: string): SessionRoom | undefined {
    return this.#byName.get(name)?.room;
  }

  /** Protocol version 1: one session, the given one or the newest, without a `subscribed` frame. */
  async attach(given: string): Promise<void> {
    const { host, marks } = this.#deps;
    const name = nameOrNewest(await marks.read(), await host.listSessions(), given);
    await this.#enter(name);
    this.#sendReady(name);
  }

  async add(name: string): Promise<void> {
    await this.#enter(name);
    const subscription = this.#byName.get(name);
    if (subscription === undefined) return;
    this.#deps.loads.noteSubscribed(subscription.room.sessionId);
    this.#subscriber.send({ type: "subscribed", sessionId: name });
    this.#sendReady(name);
  }

  remove(name: string): void {
    const subscription = this.#byName.get(name);
    this.#byName.delete(name);
    this.#ready.delete(name);
    subscription?.room.leave(subscription.listener);
  }

  removeAll(): void {
    const subscriptions = [...this.#byName.values()];
    this.#byName.clear();
    for (const { room, listener } of subscriptions) room.leave(listener);
  }

  /**
   * Sends the pending interactions once. Whether the page lets its user answer them at the moment is up to the page.
   */
  showInteractions(): void {
    if (this.knowsInteractions) return;
    this.knowsInteractions = true;
    for (const room of this.rooms) for (const { frame } of room.openInteractions) this.#subscriber.send(frame);
  }

  /** Entering again is cheap: a page does it dozens of times. */
  async #enter(name: string): Promise<void> {
    if (this.room(name)?.transcript.head.archived === false) return;
    const { rooms, marks } = this.#deps;
    const sessionId = ourId(await marks.read(), name);
    if (sessionId === undefined) throw new Error(`There is no session ${name}.`);
    const room = await rooms.open(sessionId, name);
    const listener = this.#listenerOf(name);
    room.enter(listener);
    if (this.#subscriber.isClosed) room.leave(listener);
    else this.#byName.set(name, { room, listener });
  }

  #listenerOf(name: string): RoomListener {
    return {
      knowsInteractions: () => this.knowsInteractions,
      onFrame: (mapped, text) => this.#subscriber.forward(mapped, text),
      // The only frame on which a client loads the whole session again.
      restart: () => {
        this.#ready.delete(name);
        this.#sendReady(name);
      },
      lost: (reason) => {
        if (this.#byName.delete(name)) this.#subscriber.close(1012, `a session was lost: ${reason}`.slice(0, 120));
      },
    };
  }

  /** Followed by the queue and the busy state, which no later frame would report. */
  #sendReady(name: string): void {
    const room = this.room(name);
    if (room === undefined || this.#ready.has(name)) return;
    this.#ready.add(name);
    const { head } = room.transcript;
    const { current, available } = assistant.modelsOf(head);
    this.#subscriber.send({
      type: "session_ready",
      protocolVersion: assistant.ASSISTANT_PROTOCOL,
      sessionId: name,
      ...this.#subscriber.modes,
      ...(available.length === 0 ? {} : { availableModels: available }),
      ...(current === undefined ? {} : { currentModel: current }),
    });
    for (const [at, item] of head.queue.entries()) this.#subscriber.send(assistant.queuedFrame(name, item, at + 1));
    for (const { frame } of room.busyFrames) this.#subscriber.send(frame);
  }
}
