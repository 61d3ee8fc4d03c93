/** The outward WebSocket of a runner. The token travels as the name of a subprotocol, as with every other client. */
import { RoundtableError } from "../../protocol/index.ts";
import { RUNNER_PATH, type RunnerFrame } from "../frames.ts";
import type { ServerDevice } from "./server-device.ts";

export interface NodeLink {
  send(frame: RunnerFrame): void;
  onFrame(listener: (frame: unknown) => void): void;
  /** May be called several times; every listener is called once. */
  onClose(listener: (reason: string) => void): void;
  close(reason: string): void;
}

const PROTOCOL = "roundtable.v1";
const OPEN_MS = 15_000;

/** Rejects when no node answers, or none accepts this machine. */
export async function connectNode(device: ServerDevice): Promise<NodeLink> {
  const token = await device.token();
  const address = new URL(RUNNER_PATH, device.origin);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address, [PROTOCOL, `token.${token}`]);
  const link = createLink(socket);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => link.close("the server did not answer"), OPEN_MS);
  socket.addEventListener("open", () => resolve(), { once: true });
  link.onClose((reason) => {
    device.dropToken();
    reject(new RoundtableError("closed", `No connection to ${device.origin}: ${reason}.`));
  });
  await promise
    .catch(async (error: unknown) => {
      throw (await whyNotOpened(device)) ?? error;
    })
    .finally(() => clearTimeout(timer));
  return link;
}

/** A WebSocket that is refused does not say why; a request to the same place does. */
async function whyNotOpened(device: ServerDevice): Promise<RoundtableError | undefined> {
  const error: unknown = await device.ask(RUNNER_PATH).catch((thrown: unknown) => thrown);
  if (!(error instanceof RoundtableError)) return undefined;
  if (error.code !== "bad_command") return error;
  return new RoundtableError(
    "closed",
    `The server at ${device.origin} answers, but a WebSocket connection could not be opened.`,
    {
      hint: "A proxy in front of it must pass WebSockets.",
    },
  );
}

function createLink(socket: WebSocket): NodeLink {
  const listeners: ((reason: string) => void)[] = [];
  let closed: string | undefined;
  const settle = (reason: string): void => {
    if (closed !== undefined) return;
    closed = reason;
    for (const listener of listeners) listener(reason);
  };
  socket.addEventListener("close", ({ reason, code }) => settle(reason || `the server went away (${code})`));
  // "close" follows.
  socket.addEventListener("error", () => {});
  return {
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    },
    onFrame(listener) {
      socket.addEventListener("message", ({ data }) => {
        if (closed === undefined) listener(parse(data));
      });
    },
    onClose(listener) {
      if (closed === undefined) listeners.push(listener);
      else listener(closed);
    },
    close(reason) {
      settle(reason);
      socket.close();
    },
  };
}

function parse(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    // Not a frame: whoever listens closes the connection.
    return undefined;
  }
}
