/**
 * HostConnection over a WebSocket: one JSON frame per message. A message that is not JSON gets an error reply; a peer that
 * does not answer pings is disconnected.
 */
import type { WebSocket } from "ws";
import type { Clock } from "../../kit/clock.ts";
import type { ClientFrame, HostConnection, HostFrame } from "../../protocol/index.ts";
import { answerErrorOf } from "../http/answer.ts";
import { encodeMessage } from "./encoded-events.ts";

/** The line limit of the local socket: frames that fit one transport fit the other. */
export const FRAME_BYTES_MAX = 32 * 1024 * 1024;
/** Time to flush a closing socket before it is terminated. */
const CLOSE_GRACE_MS = 1_000;
const TEXT = { binary: false };
const ignore = () => {};
/** Limit of the WebSocket protocol. */
const REASON_BYTES_MAX = 123;

export function createWebSocketConnection(socket: WebSocket, clock: Clock): HostConnection {
  let closed: string | undefined;
  let closeListener: ((reason: string) => void) | undefined;

  function settle(reason: string): void {
    if (closed !== undefined) return;
    closed = reason;
    stopPings();
    closeListener?.(reason);
  }

  function send(frame: HostFrame): void {
    if (closed !== undefined) return;
    const message = frame.frame === "events" ? encodeMessage(frame.sessionId, frame.events) : JSON.stringify(frame);
    // A send error is a socket error, and "close" follows.
    socket.send(message, TEXT, ignore);
  }

  function close(reason: string): void {
    if (closed !== undefined) return;
    settle(reason);
    const cancel = clock.after(CLOSE_GRACE_MS, () => socket.terminate());
    socket.once("close", cancel);
    // A paused socket would never read the peer's close frame.
    socket.resume();
    socket.close(1001, shortReason(reason));
  }

  const stopPings = keepAlive(socket, clock, () => settle("the client did not answer"));
  // Nothing is read before there is a listener: data waits in the kernel, not here.
  socket.pause();
  // "close" always follows.
  socket.on("error", () => {});
  socket.on("close", (code, reason) => settle(reason.toString() || `the client left (${code})`));

  return {
    send,
    onFrame(listener) {
      socket.on("message", (data: Buffer, isBinary: boolean) => {
        if (closed !== undefined) return;
        const read = isBinary ? undefined : parse(data);
        if (read !== undefined) {
          try {
            // The host validates frames of all transports.
            return listener(read.value as ClientFrame, data.length);
          } catch (error) {
            // A frame that was not foreseen ends its connection, not the process with everybody else's.
            return close(answerErrorOf(error, "A frame of a WebSocket").message);
          }
        }
        const message = "The message is not a frame: it must be JSON text.";
        send({ frame: "reply", id: "", ok: false, error: { code: "bad_command", message } });
      });
      socket.resume();
    },
    onClose(listener) {
      closeListener = listener;
      if (closed !== undefined) listener(closed);
    },
    close,
    get backlogBytes() {
      return closed === undefined ? socket.bufferedAmount : 0;
    },
  };
}

function parse(data: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(data.toString()) as unknown };
  } catch {
    // The caller reports it to the client.
    return undefined;
  }
}

function shortReason(reason: string): string {
  let short = reason;
  while (Buffer.byteLength(short) > REASON_BYTES_MAX) short = short.slice(0, -1);
  return short;
}

const PING_INTERVAL_MS = 15_000;

/** Pings a WebSocket and terminates it when a pong is missing at the next ping. `onGone` is called before that. Returns a stop function. */
export function keepAlive(
  socket: Pick<WebSocket, "ping" | "terminate" | "on">,
  clock: Clock,
  onGone = () => {},
): () => void {
  let isAnswered = true;
  let cancel = clock.after(PING_INTERVAL_MS, ping);
  socket.on("pong", () => (isAnswered = true));
  function ping(): void {
    if (!isAnswered) {
      onGone();
      return socket.terminate();
    }
    isAnswered = false;
    socket.ping(undefined, undefined, () => {});
    cancel = clock.after(PING_INTERVAL_MS, ping);
  }
  return () => cancel();
}
