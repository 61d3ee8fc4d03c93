/**
 * Endpoint of a session that another process holds: a connection to the holder's socket under the id of our client.
 * Buffers no events: while our client is slow, the upstream subscription is cancelled, and resumed from the client's
 * cursor.
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

/** A process that accepts the connection but sends no welcome is stopped or hung. */
const WELCOME_TIMEOUT_MS = 5_000;

export interface RemoteEndpointOptions {
  socketPath: string;
  sessionId: string;
  clientId: string;
  environment: CarriedEnvironment | undefined;
  sink: EndpointSink;
  clock: Clock;
}

/**
 * Rejects with EndpointLostError when no process listens, with a RoundtableError when the holder hangs or is
 * incompatible.
 */
export async function connectRemoteEndpoint(options: RemoteEndpointOptions): Promise<SessionEndpoint> {
  const socket = await connectLineSocket(options.socketPath).catch((error: unknown) => {
    throw new EndpointLostError(`no process answers at ${options.socketPath}`, { cause: error });
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
  /** The unanswered subscribe; events before its reply belong to an earlier subscription. */
  #pending: PendingSubscribe | undefined;
  /** paused: cancelled upstream because our client is slow; resumed when it has caught up. */
  #feed: "off" | "on" | "paused" = "off";
  #cursor: Cursor = { epoch: 0, seq: 0 };
  #isOver = false;

  constructor(socket: LineSocket, { sessionId, clientId, environment, sink }: RemoteEndpointOptions) {
    this.#socket = socket;
    this.#sessionId = sessionId;
    this.#sink = sink;
    this.#welcome.promise.catch(() => {});
    socket.onBad((line) => socket.close(`the holder sent an unreadable line (${line.reason})`));
    // The holder is the same program with the same protocol version: its frames are not validated.
    socket.onValue((value) => this.#onFrame(value as HostFrame));
    socket.onClose((reason) => this.#lose(reason));
    this.#send({ frame: "hello", protocol: PROTOCOL_VERSION, clientId, environment });
  }

  welcomed(clock: Clock): Promise<void> {
    const cancel = clock.after(WELCOME_TIMEOUT_MS, () => {
      this.#welcome.reject(
        new RoundtableError("locked", `The process that holds session ${this.#sessionId} does not answer.`, {
          hint: "The process may be suspended. Resume or end it, then try again.",
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
    this.#pending?.reject(new EndpointLostError("replaced by another subscription"));
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
    this.#pending?.reject(new EndpointLostError("the endpoint was released"));
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
        // The session list is not followed through an endpoint.
        return undefined;
      case "shutdown":
        // The close that follows makes the link find the next endpoint.
        return undefined;
    }
  }

  #onWelcome(frame: Extract<HostFrame, { frame: "welcome" }>): void {
    if (frame.protocol === PROTOCOL_VERSION) return this.#welcome.resolve();
    const message = `Session ${this.#sessionId} is held by a process of version ${frame.version} with protocol ${frame.protocol}; this process uses ${PROTOCOL_VERSION}.`;
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

  /** The slow client has caught up. */
  #resume(): void {
    if (this.#isOver || this.#feed !== "paused") return;
    // A loss is reported to the sink separately; only a refusal needs a resync.
    this.subscribe(this.#cursor, () => {}).catch((error: unknown) => {
      if (error instanceof RoundtableError) this.#sink.resync(error.message);
    });
  }
}
