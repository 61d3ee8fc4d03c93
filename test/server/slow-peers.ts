/** Peers that hold a connection and give nothing for it: silent, or so slow that they never come to an end. */
import { connect, type Socket } from "node:net";

const DRIP_MS = 40;

export interface SlowPeer {
  readonly socket: Socket;
  /** Everything it was told before the server hung up. */
  readonly ended: Promise<string>;
}

export interface SlowPeerOptions {
  /** Sent at once. */
  readonly first: string;
  /** Sent again and again after it. */
  readonly drip?: string;
}

export function openSlowPeer(port: number, { first, drip }: SlowPeerOptions): SlowPeer {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => (text += chunk));
  // A reset is one way to be sent away.
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(timer);
    resolve(text);
  });
  socket.on("connect", () => {
    socket.write(first, "latin1");
    if (drip !== undefined) timer = setInterval(() => socket.write(drip, "latin1"), DRIP_MS);
  });
  return { socket, ended: promise };
}

/** A peer that reads the head of the answer and then nothing more, ever: its end of the line is as good as gone. */
export function openDeafPeer(port: number, bytes: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect(port, "127.0.0.1");
  socket.once("error", reject);
  socket.once("data", () => {
    socket.pause();
    resolve(socket);
  });
  socket.write(bytes, "latin1");
  return promise;
}
