/** A connection to a server over WebSocket, for browsers and Node alike. The token travels as a protocol name, never in a URL. */
import { RoundtableError, type ClientConnection, type ClientFrame, type HostFrame } from "../protocol/index.ts";

const PROTOCOL = "roundtable.v1";
const PATH = "/v1/ws";

/** `url` is the server's own, such as `http://127.0.0.1:4096`. Rejects with code "closed" when no server lets us in there. */
export async function connectWebSocket(url: string, token: string): Promise<ClientConnection> {
  const address = new URL(PATH, url);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, [PROTOCOL, `token.${token}`]);
  const connection = createConnection(socket);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => resolve(), { once: true });
  // Why it failed is not told to programs; whoever wants to know asks over HTTP.
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
  // "close" always follows, with all that can be known.
  socket.addEventListener("error", () => {});
  socket.addEventListener("message", (event) => {
    if (closed !== undefined) return;
    const frame = readFrame(event.data as unknown);
    // A frame we cannot read may have been the answer somebody waits for: only a new connection makes that good.
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
    const isFrame = typeof value === "object" && value !== null && "frame" in value && typeof value.frame === "string";
    return isFrame ? (value as HostFrame) : undefined;
  } catch {
    // Not JSON: the caller closes the connection and says why.
    return undefined;
  }
}
