/**
 * A session that another process writes, as a place: this host is a client at the holder's socket, under the name of
 * the client it speaks for. It keeps no events: while our client is slow the subscription upstream is given up and
 * taken up again where the client stands.
 */
import type { CarriedEnvironment } from "../../kit/carried-environment.ts";
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import { connectLineSocket, type LineSocket } from "../../kit/io/line-socket.ts";
import {
  fromAnswerError,
  PROTOCOL_VERSION,
  RoundtableError,
  type ClientFrame,
  type Cursor,
  type HostFrame,
  type SessionEvent,
} from "../../protocol/index.ts";
import { EndpointLostError, type SessionEndpoint, type EndpointSink } from "./endpoint.ts";

/** A process that accepts the connection and says nothing is stopped or stuck. */
const WELCOME_TIMEOUT_MS = 5_000;

export interface RemoteEndpointOptions {
  socketPath: string;
  sessionId: string;
  clientId: string;
  environment: CarriedEnvironment | undefined;
  sink: EndpointSink;
  clock: Clock;
}

/** Rejects with PlaceLostError when nobody listens there, with a RoundtableError when somebody does and it is no use. */
export async function connectRemoteEndpoint(options: RemoteEndpointOptions): Promise<SessionEndpoint> {
  const socket = await connectLineSocket(options.socketPath).catch((error: unknown) => {
    throw new EndpointLostError(`nobody answers at ${options.socketPath}`, { cause: error });
  });
  const endpoint = new RemoteEndpoint(socket, options);
  await endpoint.welcomed(options.clock);
  return endpoint;
}

interface PendingSubscribe {
  readonly id: string;
  readonly onReady: (head: Cursor) => void;
  resolve(): void;
  reject(error: Error): void;
}

class RemoteEndpoint implements SessionEndpoint {
  readonly #socket: LineSocket;
  readonly #sessionId: string;
  readonly #sink: EndpointSink;
  readonly #welcome = Promise.withResolvers<void>();
  /** The subscribe that has no reply yet; until it comes, events belong to an older subscription. */
  #pending: PendingSubscribe | undefined;
  /** paused: given up upstream because our client is slow, to be taken up again. */
  #feed: "off" | "on" | "paused" = "off";
  #cursor: Cursor = { epoch: 0, seq: 0 };
  #isOver = false;

  constructor(socket: LineSocket, { sessionId, clientId, environment, sink }: RemoteEndpointOptions) {
    this.#socket = socket;
    this.#sessionId = sessionId;
    this.#sink = sink;
    this.#welcome.promise.catch(() => {});
    socket.onBad((line) => socket.close(`the holder sent a line we cannot read (${line.reason})`));
    // The holder is this same program and its version was compared: its frames are trusted by shape.
    socket.onValue((value) => this.#onFrame(value as HostFrame));
    socket.onClose((reason) => this.#lose(reason));
    this.#send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId, environment });
  }

  welcomed(clock: Clock): Promise<void> {
    const cancel = clock.after(WELCOME_TIMEOUT_MS, () => {
      this.#welcome.reject(
        new RoundtableError("locked", `The process that holds session ${this.#sessionId} does not answer.`, {
          hint: "It may be stopped. Continue it or end it, then try again.",
        }),
      );
      this.leave();
    });
    return this.#welcome.promise.finally(cancel);
  }

  command(command: Extract<ClientFrame, { frame: "command" }>["command"]): void {
    this.#send({ frame: "command", sessionId: this.#sessionId, command });
  }

  subscribe(cursor: Cursor, onReady: (head: Cursor) => void): Promise<void> {
    if (this.#isOver) return Promise.reject(new EndpointLostError("the holder is gone"));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#pending?.reject(new EndpointLostError("another subscription took its place"));
    this.#pending = { id: newId(), onReady, resolve, reject };
    this.#feed = "on";
    this.#cursor = cursor;
    this.#send({ frame: "subscribe", id: this.#pending.id, sessionId: this.#sessionId, cursor });
    return promise;
  }

  unsubscribe(): void {
    if (this.#feed === "on") this.#send({ frame: "unsubscribe", sessionId: this.#sessionId });
    this.#feed = "off";
  }

  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#pending?.reject(new EndpointLostError("the place was given up"));
    this.#socket.close("no longer needed");
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #send(frame: ClientFrame): void {
    this.#socket.send(frame);
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const error = new EndpointLostError(reason);
    this.#welcome.reject(error);
    this.#pending?.reject(error);
    this.#sink.lost(reason);
  }

  #onFrame(frame: HostFrame): void {
    if (this.#isOver) return;
    switch (frame.frame) {
      case "welcome":
        return this.#onWelcome(frame);
      case "reply":
        return this.#onReply(frame);
      case "ack":
        return this.#sink.acked(frame.ack);
      case "events":
        if (this.#feed === "on" && this.#pending === undefined) this.#onEvents(frame.events);
        return undefined;
      case "heartbeat":
        if (this.#feed === "on") this.#sink.heartbeat({ epoch: frame.epoch, seq: frame.seq });
        return undefined;
      case "store":
        return this.#sink.store(frame.state, frame.message);
      case "resync":
        if (this.#feed === "on" && this.#pending === undefined) {
          this.#feed = "off";
          this.#sink.resync(frame.reason);
        }
        return undefined;
      case "sessions":
        // Nobody follows a list by way of one session's place.
        return undefined;
      case "shutdown":
        // The holder leaves; the close that follows makes us look for the session's next place.
        return undefined;
    }
  }

  #onWelcome(frame: Extract<HostFrame, { frame: "welcome" }>): void {
    if (frame.protocol === PROTOCOL_VERSION) return this.#welcome.resolve();
    const message = `Session ${this.#sessionId} is held by a process of version ${frame.version}, which speaks protocol ${frame.protocol}, not ${PROTOCOL_VERSION}.`;
    this.#welcome.reject(new RoundtableError("version_mismatch", message, { hint: "End that process and try again." }));
    return this.leave();
  }

  #onReply(frame: Extract<HostFrame, { frame: "reply" }>): void {
    const pending = this.#pending;
    if (pending === undefined || frame.id !== pending.id) return;
    this.#pending = undefined;
    if (frame.ok) {
      pending.onReady(frame.result as Cursor);
      pending.resolve();
    } else {
      this.#feed = "off";
      pending.reject(fromAnswerError(frame.error));
    }
  }

  #onEvents(events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.#cursor = { epoch: last.epoch, seq: last.seq };
    const drained = this.#sink.events(events);
    if (drained === undefined) return;
    this.unsubscribe();
    this.#feed = "paused";
    void drained.then(() => this.#resume());
  }

  /** Called when a slow client has caught up; it may have been given up meanwhile. */
  #resume(): void {
    if (this.#isOver || this.#feed !== "paused") return;
    // A failure here is either a loss, which the sink is told by itself, or a refusal.
    this.subscribe(this.#cursor, () => {}).catch((error: unknown) => {
      if (error instanceof RoundtableError) this.#sink.resync(error.message);
    });
  }
}
