/**
 * One client's link to one session: its commands, its subscription, and the endpoint that serves both.
 * Guarantees: commands reach the session in the order they were sent; the client gets every event after its cursor once
 * and in order, also when the process that holds the session dies and the session moves to this process or another.
 *
 * Phases: detached (no endpoint; the next task finds one) -> attached -> detached again when the endpoint is lost or no
 * longer needed -> closed with the connection.
 */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import {
  isRepeatable,
  RoundtableError,
  toAnswerError,
  type Ack,
  type AnswerError,
  type Command,
  type Cursor,
  type HostFrame,
  type SessionEvent,
} from "../../protocol/index.ts";
import { isBehind, waitForDrain } from "./drain.ts";
import { EndpointLostError, type EndpointSink, type SessionEndpoint } from "./endpoint.ts";
import { findEndpoint, type Reachable } from "./find-endpoint.ts";

interface LinkClient {
  readonly clientId: string;
  /** Environment of the client's terminal, if it has one. */
  readonly environment?: CarriedEnvironment | undefined;
  send(frame: HostFrame): void;
  readonly backlogBytes: number;
}

export interface SessionLinkOptions {
  sessionId: string;
  client: LinkClient;
  enter: (sessionId: string) => Promise<Reachable>;
  clock: Clock;
  /** Nothing is pending and nothing is subscribed: the link can be dropped. */
  onDone: () => void;
}

type Phase =
  | { readonly name: "detached" }
  /** Reports through any other sink come from an earlier endpoint and are ignored. */
  | { readonly name: "attached"; readonly endpoint: SessionEndpoint; readonly sink: EndpointSink }
  | { readonly name: "closed" };

interface PendingCommand {
  readonly command: Command;
  readonly bytes: number;
  /** Undefined until an endpoint is found. */
  sentTo: SessionEndpoint | undefined;
}

interface LinkSubscription {
  /** The last event sent to the client. */
  cursor: Cursor;
  /** Undefined while it is being established. */
  servedBy: SessionEndpoint | undefined;
  /** Aborted when the feed ends or moves to another endpoint; ends the wait for a slow client. */
  feed: AbortController;
}

const COMMAND_LOST: AnswerError = {
  code: "closed",
  message: "The session was closed by its holder before the answer; the command may or may not have taken effect.",
  hint: "Check the session, then repeat the command if needed.",
};

export class SessionLink {
  readonly #options: SessionLinkOptions;
  readonly #closing = new AbortController();
  readonly #pending = new Map<string, PendingCommand>();
  #pendingBytes = 0;
  #phase: Phase = { name: "detached" };
  #subscription: LinkSubscription | undefined;
  /** Tasks that need the endpoint run one after the other. */
  #tail: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(options: SessionLinkOptions) {
    this.#options = options;
  }

  /** Number of unacknowledged commands. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Their approximate size. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  command(command: Command, bytes: number): void {
    const { commandId } = command;
    if (this.#pending.has(commandId)) {
      const message = `Command ${commandId} is already pending.`;
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

  /** Replaces an earlier subscription of this client. */
  subscribe(id: string, cursor: Cursor): void {
    this.#run(async () => {
      this.#endSubscription();
      this.#subscription = { cursor, servedBy: undefined, feed: new AbortController() };
      try {
        await this.#follow((head) => this.#send({ frame: "reply", id, ok: true, result: head }));
      } catch (error) {
        this.#subscription = undefined;
        if (!isLeaving(error)) this.#send({ frame: "reply", id, ok: false, error: toAnswerError(error) });
      }
    });
  }

  unsubscribe(): void {
    this.#run(async () => this.#endSubscription());
  }

  close(): void {
    this.#detach();
    this.#subscription?.feed.abort();
    this.#subscription = undefined;
    this.#phase = { name: "closed" };
    this.#closing.abort(new RoundtableError("closed", "The connection was closed."));
  }

  #run(task: () => Promise<void>): void {
    this.#queued += 1;
    this.#tail = this.#tail.then(async () => {
      if (this.#phase.name !== "closed") await task();
      this.#queued -= 1;
      this.#leaveIfDone();
    });
  }

  async #reach(): Promise<SessionEndpoint> {
    if (this.#phase.name === "attached") return this.#phase.endpoint;
    const { sessionId, client, enter, clock } = this.#options;
    const { clientId, environment } = client;
    const { signal } = this.#closing;
    for (;;) {
      const sink = this.#createSink();
      const endpoint = await findEndpoint({ sessionId, clientId, environment, enter, clock, sink, signal });
      if (signal.aborted) endpoint.leave();
      signal.throwIfAborted();
      // Lost before we listened to its sink.
      if (endpoint.isOver) continue;
      this.#phase = { name: "attached", endpoint, sink };
      return endpoint;
    }
  }

  #createSink(): EndpointSink {
    const { sessionId } = this.#options;
    const isCurrent = () => this.#phase.name === "attached" && this.#phase.sink === sink;
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
    while (this.#subscription !== undefined) {
      const subscription = this.#subscription;
      const endpoint = await this.#reach();
      // A resync may have ended it meanwhile.
      if (this.#subscription !== subscription) return;
      subscription.feed.abort();
      subscription.feed = new AbortController();
      try {
        await endpoint.subscribe(subscription.cursor, (head) => {
          answer(head);
          answer = () => {};
        });
        subscription.servedBy = endpoint;
        return;
      } catch (error) {
        // The lost endpoint is detached by now; the next iteration finds where the session is.
        if (!(error instanceof EndpointLostError)) throw error;
      }
    }
  }

  /** The holder died or left: whatever it owes is requested again where the session is now. */
  #lose(): void {
    this.#phase = { name: "detached" };
    this.#run(() => this.#restore());
  }

  async #restore(): Promise<void> {
    const orphans = [...this.#pending.values()].filter(({ sentTo }) => sentTo !== undefined && !this.#isAt(sentTo));
    try {
      for (const orphan of orphans) await this.#repeat(orphan);
      const servedBy = this.#subscription?.servedBy;
      if (servedBy === undefined || !this.#isAt(servedBy)) await this.#follow(() => {});
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

  #isAt(endpoint: SessionEndpoint): boolean {
    return this.#phase.name === "attached" && this.#phase.endpoint === endpoint;
  }

  /** Passes the array on as it is: clients share it, so that it is encoded once. Its maker has capped its size. */
  #deliver(events: readonly SessionEvent[]): void | Promise<void> {
    const last = events.at(-1);
    if (last === undefined || this.#subscription === undefined) return undefined;
    this.#subscription.cursor = { epoch: last.epoch, seq: last.seq };
    this.#send({ frame: "events", sessionId: this.#options.sessionId, events });
    return isBehind(this.#options.client) ? this.#drained(this.#subscription.feed.signal) : undefined;
  }

  async #drained(feed: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const isDrained = await waitForDrain(client, clock, feed);
    if (!isDrained && !feed.aborted) this.#resync("this client reads too slowly");
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
    if (this.#subscription === undefined) return;
    this.#endSubscription();
    this.#send({ frame: "resync", sessionId: this.#options.sessionId, reason });
    this.#leaveIfDone();
  }

  #endSubscription(): void {
    this.#subscription?.feed.abort();
    this.#subscription = undefined;
    if (this.#phase.name === "attached") this.#phase.endpoint.unsubscribe();
  }

  /** A session that this client only sent commands to is not kept open, nor the connection to its holder. */
  #leaveIfDone(): void {
    if (this.#queued > 0 || this.#pending.size > 0 || this.#subscription !== undefined) return;
    this.#detach();
    this.#options.onDone();
  }

  #detach(): void {
    if (this.#phase.name !== "attached") return;
    const { endpoint } = this.#phase;
    this.#phase = { name: "detached" };
    endpoint.leave();
  }

  #sendAck(ack: Ack): void {
    this.#send({ frame: "ack", sessionId: this.#options.sessionId, ack });
  }

  #sendIfKeepingUp(frame: HostFrame): void {
    if (!isBehind(this.#options.client)) this.#send(frame);
  }

  #send(frame: HostFrame): void {
    if (this.#phase.name !== "closed") this.#options.client.send(frame);
  }
}

/**
 * This host is shutting down and sends no answer: its clients see the connection close, and another host that forwards
 * for its own client repeats the request wherever the session is next.
 */
function isLeaving(error: unknown): boolean {
  return toAnswerError(error).code === "closed";
}
