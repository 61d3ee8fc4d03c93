/** Exactly these bytes to a port, and what came back until the server hung up, the wanted part was there, or time was over. */
import { connect } from "node:net";

export interface RawExchange {
  /** Of the first answer; 0 when there was none. */
  readonly status: number;
  readonly text: string;
  readonly isHungUp: boolean;
}

export interface RawExchangeOptions {
  /** "head": the first head is enough. */
  readonly until: "close" | "head";
  readonly waitMs: number;
  /** Looked at now and then: true when there is nothing more to wait for. */
  readonly isDone?: () => boolean;
}

const LOOK_MS = 50;

export function exchangeRaw(port: number, bytes: string, options: RawExchangeOptions): Promise<RawExchange> {
  const { promise, resolve } = Promise.withResolvers<RawExchange>();
  const socket = connect(port, "127.0.0.1");
  let text = "";
  const finish = (isHungUp: boolean) => {
    clearTimeout(late);
    clearInterval(look);
    socket.destroy();
    resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text, isHungUp });
  };
  const late = setTimeout(() => finish(false), options.waitMs);
  const { isDone } = options;
  const look = isDone === undefined ? undefined : setInterval(() => isDone() && finish(false), LOOK_MS);
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    if (options.until === "head" && text.includes("\r\n\r\n")) finish(false);
  });
  // A reset after the answer is a way to hang up.
  socket.on("error", () => finish(true));
  socket.on("close", () => finish(true));
  socket.write(bytes, "latin1");
  return promise;
}
