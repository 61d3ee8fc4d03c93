/**
 * One client's dealings with one session: its commands, its subscription, and the place where both are served.
 * Promises: commands reach the session in the order they came; the client gets every event after its cursor once and in
 * order, also when the process that held the session dies and the session is taken over here or found elsewhere.
 */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import {
  isRepeatable,
  toAnswerError,
  type Ack,
  type Command,
  type Cursor,
  type HostFrame,
  type SessionEvent,
} from "../../protocol/index.ts";
import { isBehind, waitForDrain } from "./drain.ts";
import { findEndpoint } from "./find-endpoint.ts";
import { COMMAND_LOST } from "./command-lost.ts";
import type { Entry } from "../sessions/open-sessions.ts";
import { EndpointLostError, type SessionEndpoint, type EndpointSink } from "./endpoint.ts";

interface LinkClient {
  readonly clientId: string;
  /** That of its terminal, where it has one. */
  readonly environment?: CarriedEnvironment | undefined;
  send(frame: HostFrame): void;
  readonly backlogBytes: number;
}

export interface SessionLinkOptions {
  sessionId: string;
  client: LinkClient;
  enter: (sessionId: string) => Promise<Entry>;
  clock: Clock;
  /** Nothing is under way any more; the link may be forgotten. */
  onDone: () => void;
}

interface PendingCommand {
  readonly command: Command;
  readonly bytes: number;
  /** Where it was sent; undefined while it waits for a place. */
  sentTo: SessionEndpoint | undefined;
}

export class SessionLink {
  readonly #options: SessionLinkOptions;
  readonly #pending = new Map<string, PendingCommand>();
  #endpoint: SessionEndpoint | undefined;
  /** What the current place was given to speak through; a place that was left or lost holds another one. */
  #sink: EndpointSink | undefined;
  /** The last event sent to the client; undefined when it is not subscribed. */
  #cursor: Cursor | undefined;
  /** Counts the feeds, so that the rest of an old one is not mixed into the next. */
  #feed = 0;
  #servedBy: SessionEndpoint | undefined;
  /** Everything that needs the place runs one after the other. */
  #tail: Promise<void> = Promise.resolve();
  #queued = 0;
  #pendingBytes = 0;
  #isClosed = false;

  constructor(options: SessionLinkOptions) {
    this.#options = options;
  }

  /** Commands without an acknowledgement yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** What they hold, about. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  command(command: Command, bytes: number): void {
    const { commandId } = command;
    if (this.#pending.has(commandId)) {
      const message = `A command with the id ${commandId} is under way already.`;
      return this.#sendAck({ commandId, ok: false, error: { code: "conflict", message } });
    }
    const pending: PendingCommand = { command, bytes, sentTo: undefined };
    this.#pending.set(commandId, pending);
    this.#pendingBytes += bytes;
    this.#run(async () => {
      try {
        pending.sentTo = await this.#reach();
        pending.sentTo.command(command);
      } catch (error) {
        if (!isLeaving(error)) this.#acked({ commandId, ok: false, error: toAnswerError(error) });
      }
    });
  }

  /** Takes the place of an earlier subscription of this client. */
  subscribe(id: string, cursor: Cursor): void {
    this.#run(async () => {
      this.#endSubscription();
      this.#cursor = cursor;
      try {
        await this.#follow((head) => this.#send({ frame: "reply", id, ok: true, result: head }));
      } catch (error) {
        this.#cursor = undefined;
        if (!isLeaving(error)) this.#send({ frame: "reply", id, ok: false, error: toAnswerError(error) });
      }
    });
  }

  unsubscribe(): void {
    this.#run(async () => this.#endSubscription());
  }

  close(): void {
    this.#isClosed = true;
    this.#cursor = undefined;
    this.#leave();
  }

  #run(task: () => Promise<void>): void {
    this.#queued += 1;
    this.#tail = this.#tail.then(async () => {
      if (!this.#isClosed) await task();
      this.#queued -= 1;
      this.#leaveIfDone();
    });
  }

  async #reach(): Promise<SessionEndpoint> {
    if (this.#endpoint !== undefined) return this.#endpoint;
    const { sessionId, client, enter, clock } = this.#options;
    const { clientId, environment } = client;
    const about = { sessionId, clientId, environment, enter, clock };
    for (;;) {
      const sink = this.#createSink();
      const endpoint = await findEndpoint({ ...about, sink, isOver: () => this.#isClosed });
      // Lost before its sink was ours to listen to.
      if (endpoint.isOver) continue;
      this.#sink = sink;
      return (this.#endpoint = endpoint);
    }
  }

  #createSink(): EndpointSink {
    const { sessionId } = this.#options;
    const isCurrent = () => this.#sink === sink;
    const sink: EndpointSink = {
      acked: (ack) => isCurrent() && this.#acked(ack),
      events: (events) => (isCurrent() ? this.#deliver(events) : undefined),
      heartbeat: (head) => isCurrent() && this.#sendIfKeepingUp({ frame: "heartbeat", sessionId, ...head }),
      store: (state, message) => isCurrent() && this.#send({ frame: "store", sessionId, state, message }),
      resync: (reason) => isCurrent() && this.#resync(reason),
      lost: () => isCurrent() && this.#lose(),
    };
    return sink;
  }

  async #follow(onReady: (head: Cursor) => void): Promise<void> {
    let answer = onReady;
    while (this.#cursor !== undefined) {
      const endpoint = await this.#reach();
      this.#feed += 1;
      try {
        await endpoint.subscribe(this.#cursor, (head) => {
          answer(head);
          answer = () => {};
        });
        this.#servedBy = endpoint;
        return;
      } catch (error) {
        // A lost place has been dropped by now; the next round finds the session where it is.
        if (!(error instanceof EndpointLostError)) throw error;
      }
    }
  }

  /** The holder died or left. Whatever waits for it is asked again where the session is now. */
  #lose(): void {
    this.#endpoint = undefined;
    this.#sink = undefined;
    this.#run(() => this.#restore());
  }

  async #restore(): Promise<void> {
    const orphans = [...this.#pending.values()].filter(
      ({ sentTo }) => sentTo !== undefined && sentTo !== this.#endpoint,
    );
    try {
      for (const orphan of orphans) await this.#repeat(orphan);
      if (this.#cursor !== undefined && this.#servedBy !== this.#endpoint) await this.#follow(() => {});
    } catch (error) {
      if (isLeaving(error)) return;
      const answer = toAnswerError(error);
      for (const { command } of orphans) this.#acked({ commandId: command.commandId, ok: false, error: answer });
      this.#resync(answer.message);
    }
  }

  async #repeat(orphan: PendingCommand): Promise<void> {
    const { commandId, type } = orphan.command;
    if (!isRepeatable(type)) return this.#acked({ commandId, ok: false, error: COMMAND_LOST });
    orphan.sentTo = await this.#reach();
    orphan.sentTo.command(orphan.command);
  }

  /** Whole: others get the same array, and it is encoded once. Whoever made the lot has bounded it. */
  #deliver(events: readonly SessionEvent[]): void | Promise<void> {
    this.#sendEvents(events);
    return isBehind(this.#options.client) ? this.#drained() : undefined;
  }

  async #drained(): Promise<void> {
    const { client, clock } = this.#options;
    const feed = this.#feed;
    const isOver = () => this.#isClosed || this.#feed !== feed;
    if (!(await waitForDrain(client, clock, isOver)) && !isOver()) this.#resync("this client reads too slowly");
  }

  #sendEvents(events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (last === undefined || this.#cursor === undefined) return;
    this.#cursor = { epoch: last.epoch, seq: last.seq };
    this.#send({ frame: "events", sessionId: this.#options.sessionId, events });
  }

  #acked(ack: Ack): void {
    const pending = this.#pending.get(ack.commandId);
    if (pending === undefined) return;
    this.#pending.delete(ack.commandId);
    this.#pendingBytes -= pending.bytes;
    this.#sendAck(ack);
    this.#leaveIfDone();
  }

  #resync(reason: string): void {
    if (this.#cursor === undefined) return;
    this.#endSubscription();
    this.#send({ frame: "resync", sessionId: this.#options.sessionId, reason });
    this.#leaveIfDone();
  }

  #endSubscription(): void {
    this.#feed += 1;
    this.#cursor = undefined;
    this.#servedBy = undefined;
    this.#endpoint?.unsubscribe();
  }

  /** A session that this client only sent commands to is not kept open, nor the connection to its holder. */
  #leaveIfDone(): void {
    if (this.#queued > 0 || this.#pending.size > 0 || this.#cursor !== undefined) return;
    this.#leave();
    this.#options.onDone();
  }

  #leave(): void {
    this.#endpoint?.leave();
    this.#endpoint = undefined;
    this.#sink = undefined;
  }

  #sendAck(ack: Ack): void {
    this.#send({ frame: "ack", sessionId: this.#options.sessionId, ack });
  }

  #sendIfKeepingUp(frame: HostFrame): void {
    if (!isBehind(this.#options.client)) this.#send(frame);
  }

  #send(frame: HostFrame): void {
    if (!this.#isClosed) this.#options.client.send(frame);
  }
}

/**
 * This host is shutting down. It gives no answer then: its clients hear the connection close, and a host that serves a
 * client of its own from here asks again wherever the session is next.
 */
function isLeaving(error: unknown): boolean {
  return toAnswerError(error).code === "closed";
}
