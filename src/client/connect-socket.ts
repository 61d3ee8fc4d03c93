/**
 * A connection to the host that listens on a local socket. The only file of this room that needs Node, and it loads what
 * needs Node when it is called, so that a browser can load the room.
 */
import { RoundtableError, type ClientConnection, type HostFrame } from "../protocol/index.ts";

export interface SocketOptions {
  /** The variables of this terminal, told with the greeting; no other carrier tells them. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

/** Rejects with code "closed" when nobody listens at `path`. */
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
        socket.close(`a frame "${frame.frame}" was too long to send`);
    },
    onFrame(listener) {
      // A frame we cannot read may have been the answer somebody waits for: only a new connection makes that good.
      socket.onBad((line) => socket.close(`the host sent a line we cannot read (${line.reason}): ${line.head}`));
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
