/**
 * A WebSocket as the host's end of a Connection: one JSON frame a message.
 * A message that is no frame is answered with an error and the connection lives; a peer that answers no ping is cut.
 */
import type { WebSocket } from "ws";
import type { Clock } from "../../kit/clock.ts";
import type { ClientFrame, HostConnection, HostFrame } from "../../protocol/index.ts";
import { encodeMessage } from "./encoded-events.ts";
import { keepAlive } from "./keep-alive.ts";

/** As long as a line of the local socket may be: what fits one carrier fits the other. */
export const FRAME_BYTES_MAX = 32 * 1024 * 1024;
/** How long a closing socket may take to hand over what it still holds before it is cut. */
const CLOSE_GRACE_MS = 1_000;
const TEXT = { binary: false };
const ignore = () => {};
/** The protocol allows 123 bytes of reason. */
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
    // The error of a send is the error of the socket, and that ends in "close".
    socket.send(message, TEXT, ignore);
  }

  const stopPings = keepAlive(socket, clock, () => settle("the client did not answer"));
  // Nothing is read before somebody listens: it waits in the kernel, not here.
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
        // Not checked further here: the host checks every frame by schema, whatever carrier brought it.
        if (read !== undefined) return listener(read.value as ClientFrame);
        const message = "The message is not a frame: it must be one JSON text.";
        send({ frame: "reply", id: "", ok: false, error: { code: "bad_command", message } });
      });
      socket.resume();
    },
    onClose(listener) {
      closeListener = listener;
      if (closed !== undefined) listener(closed);
    },
    close(reason) {
      if (closed !== undefined) return;
      settle(reason);
      const cancel = clock.after(CLOSE_GRACE_MS, () => socket.terminate());
      socket.once("close", cancel);
      // A socket that is paused would never read the peer's farewell.
      socket.resume();
      socket.close(1001, shortReason(reason));
    },
    get backlogBytes() {
      return closed === undefined ? socket.bufferedAmount : 0;
    },
  };
}

function parse(data: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(data.toString()) as unknown };
  } catch {
    // Said to the client by the caller.
    return undefined;
  }
}

function shortReason(reason: string): string {
  let short = reason;
  while (Buffer.byteLength(short) > REASON_BYTES_MAX) short = short.slice(0, -1);
  return short;
}
