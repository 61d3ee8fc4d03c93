/**
 * The three transports to a host: WebSocket (browsers and Node), local socket (Node only), and an in-process pair.
 * `connectSocket` imports its Node modules when it is called, so that a browser can load this file.
 */
import {
  type ClientConnection,
  type ClientFrame,
  type Connection,
  type HostConnection,
  type HostFrame,
  RoundtableError,
} from "../protocol/index.ts";

const PROTOCOL = "roundtable.v1";
const PATH = "/v1/ws";

/**
 * `url` is the server's origin, such as `http://127.0.0.1:4096`. The token travels as a subprotocol name, never in a
 * URL. Rejects with code "closed" when the server is unreachable or refuses the connection.
 */
export async function connectWebSocket(url: string, token: string): Promise<ClientConnection> {
  const address = new URL(PATH, url);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, [PROTOCOL, `token.${token}`]);
  const connection = createConnection(socket);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => resolve(), { once: true });
  // WebSocket hides the reason from programs; an HTTP request to the server would show it.
  connection.onFail(() => reject(new RoundtableError("closed", `Can't reach the server at ${url}.`)));
  await promise;
  return connection;
}

interface OpeningConnection extends ClientConnection {
  onFail(listener: () => void): void;
}

function createConnection(socket: WebSocket): OpeningConnection {
  let closed: string | undefined;
  let early: HostFrame[] = [];
  let frameListener: ((frame: HostFrame) => void) | undefined;
  let closeListener: ((reason: string) => void) | undefined;
  let failListener: (() => void) | undefined;

  function settle(reason: string): void {
    if (closed !== undefined) return;
    closed = reason;
    failListener?.();
    closeListener?.(reason);
  }

  function close(reason: string): void {
    settle(reason);
    socket.close();
  }

  socket.addEventListener("close", (event) => settle(event.reason || `the server went away (${event.code})`));
  // "close" always follows, with the code and reason.
  socket.addEventListener("error", () => {});
  socket.addEventListener("message", (event) => {
    if (closed !== undefined) return;
    const frame = readFrame(event.data as unknown);
    // An unreadable frame may have been an awaited reply: only a new connection recovers from that.
    if (frame === undefined) close("the server sent something that is not a frame");
    else if (frameListener === undefined) early.push(frame);
    else frameListener(frame);
  });
  return {
    send(frame: ClientFrame) {
      if (closed === undefined && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    },
    onFrame(listener) {
      frameListener = listener;
      const buffered = early;
      early = [];
      for (const frame of buffered) listener(frame);
    },
    onClose(listener) {
      closeListener = listener;
      if (closed !== undefined) listener(closed);
    },
    onFail(listener) {
      failListener = listener;
      if (closed !== undefined) listener();
    },
    close,
    get backlogBytes() {
      return closed === undefined ? socket.bufferedAmount : 0;
    },
  };
}

function readFrame(data: unknown): HostFrame | undefined {
  if (typeof data !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return isFrame(value) ? value : undefined;
  } catch {
    // Not JSON: the caller closes the connection with a reason.
    return undefined;
  }
}

interface SocketOptions {
  /** Environment variables of this terminal, sent with the hello frame. Only local sockets send them. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** Rejects with code "closed" when no host listens at `path`. */
export async function connectSocket(path: string, { environment }: SocketOptions = {}): Promise<ClientConnection> {
  const { connectLineSocket } = await import("../kit/io/line-socket.ts");
  const socket = await connectLineSocket(path).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RoundtableError("closed", `No host answers at ${path}: ${reason}.`, { cause: error });
  });
  return {
    send(frame) {
      const isGreeting = frame.frame === "hello" && environment !== undefined;
      if (!socket.send(isGreeting ? { ...frame, environment } : frame))
        socket.close(`a frame "${frame.frame}" exceeds the size limit`);
    },
    onFrame(listener) {
      // An unreadable frame may have been an awaited reply: only a new connection recovers from that.
      socket.onBad((line) => socket.close(`the host sent an unreadable line (${line.reason}): ${line.head}`));
      socket.onValue((value) => {
        if (isFrame(value)) listener(value);
        else socket.close("the host sent something that is not a frame");
      });
    },
    onClose: (listener) => socket.onClose(listener),
    close: (reason) => socket.close(reason),
    get backlogBytes() {
      return socket.backlogBytes;
    },
  };
}

function isFrame(value: unknown): value is HostFrame {
  return typeof value === "object" && value !== null && "frame" in value && typeof value.frame === "string";
}

/**
 * A client and a host in one process that behave as over a wire: frames are serialised, arrive after `send` has
 * returned and in order. The end that closes receives nothing more; the other end gets what was sent before the close.
 */
export function createConnectionPair(): [ClientConnection, HostConnection] {
  const toHost = new Channel<ClientFrame>();
  const toClient = new Channel<HostFrame>();
  return [createEnd(toHost, toClient), createEnd(toClient, toHost)];
}

function createEnd<Out, In>(out: Channel<Out>, back: Channel<In>): Connection<Out, In> {
  return {
    send: (frame) => out.send(frame),
    onFrame: (listener) => back.onFrame(listener),
    onClose: (listener) => back.onClose(listener),
    close(reason) {
      back.cut(reason);
      out.finish(reason);
    },
    get backlogBytes() {
      return out.backlogBytes;
    },
  };
}

/** One direction; the listeners belong to the receiving end. */
class Channel<Frame> {
  backlogBytes = 0;
  #lines: string[] = [];
  #onFrame: ((frame: Frame) => void) | undefined;
  #onClose: ((reason: string) => void) | undefined;
  #finishing: string | undefined;
  #closed: string | undefined;
  #isScheduled = false;

  send(frame: Frame): void {
    if (this.#finishing !== undefined || this.#closed !== undefined) return;
    const line = JSON.stringify(frame);
    this.backlogBytes += line.length;
    this.#lines.push(line);
    this.#schedule();
  }

  onFrame(listener: (frame: Frame) => void): void {
    this.#onFrame = listener;
    this.#schedule();
  }

  onClose(listener: (reason: string) => void): void {
    this.#onClose = listener;
    if (this.#closed !== undefined) listener(this.#closed);
  }

  /** The sender closes: frames in flight still arrive. */
  finish(reason: string): void {
    if (this.#finishing !== undefined || this.#closed !== undefined) return;
    this.#finishing = reason;
    this.#schedule();
  }

  /** The receiver closes: nothing arrives any more. */
  cut(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#lines = [];
    this.backlogBytes = 0;
    this.#onClose?.(reason);
  }

  #schedule(): void {
    const hasWork = this.#lines.length > 0 || this.#finishing !== undefined;
    if (this.#isScheduled || !hasWork || this.#onFrame === undefined) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) {
      if (this.#closed !== undefined) return;
      this.backlogBytes -= line.length;
      this.#onFrame?.(JSON.parse(line) as Frame);
    }
    if (this.#finishing === undefined) return;
    if (this.#lines.length > 0) this.#schedule();
    else this.cut(this.#finishing);
  }
}
