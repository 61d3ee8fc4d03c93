/** A HostConnection over a local socket. What is not a JSON line is answered with an error here; the connection lives. */
import type { LineSocket } from "../../kit/io/line-socket.ts";
import type { ClientFrame, HostConnection } from "../../protocol/index.ts";

export function createFrameConnection(socket: LineSocket): HostConnection {
  return {
    send(frame) {
      if (socket.send(frame)) return;
      if (frame.frame === "reply") {
        const error = { code: "too_large" as const, message: "The answer is longer than a line may be." };
        socket.send({ frame: "reply", id: frame.id, ok: false, error });
      } else {
        // A client that misses a frame without knowing would show something else than the log says.
        socket.close(`a frame "${frame.frame}" was too long to send`);
      }
    },
    onFrame(listener) {
      socket.onBad((line) => {
        const message = `A line of ${line.bytes} bytes is not a frame (${line.reason}). It began: ${line.head}`;
        socket.send({ frame: "reply", id: "", ok: false, error: { code: "bad_command", message } });
      });
      // Not checked here: the host checks every frame by schema, whatever carrier brought it.
      socket.onValue((value) => listener(value as ClientFrame));
    },
    onClose: (listener) => socket.onClose(listener),
    close: (reason) => socket.close(reason),
    get backlogBytes() {
      return socket.backlogBytes;
    },
  };
}
