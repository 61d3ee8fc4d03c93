/**
 * JSON lines over a local socket (a named pipe on Windows): connect to one, or listen on one.
 * Promises: values arrive in order, once; nothing here throws after the connection is made; what cannot be read is
 * reported by `onBad`; values that arrive before `onValue` is set are kept, unread in the kernel.
 */
import { createConnection, createServer, type Socket } from "node:net";
import { createJsonLineReader, LINE_BYTES_MAX, toJsonLine, type BadLine } from "./json-lines.ts";

export interface LineSocket {
  /** False when the value is longer than a line may be, and was not sent. Ignored after close. */
  send(value: unknown): boolean;
  /** Starts the reading; set `onBad` first. */
  onValue(listener: (value: unknown) => void): void;
  onBad(listener: (line: BadLine) => void): void;
  /** Called once, also when it is set after the close. */
  onClose(listener: (reason: string) => void): void;
  /** Sends what was accepted, then closes. */
  close(reason: string): void;
  /** Bytes accepted by `send` that the kernel has not taken yet. */
  readonly backlogBytes: number;
}

export interface LineServer {
  /** Stops listening; connections that are open stay open. */
  close(): Promise<void>;
}

/** How long a closing socket may take to hand over what it still holds before it is cut. */
const CLOSE_GRACE_MS = 1_000;

export interface LineSocketOptions {
  readonly lineBytesMax?: number;
}

/** Rejects with the system's error (ENOENT, ECONNREFUSED …) when nobody listens there; an empty path is nobody's. */
export async function connectLineSocket(path: string, options: LineSocketOptions = {}): Promise<LineSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<LineSocket>();
  if (path === "") throw Object.assign(new Error("ENOENT: nobody listens at an empty path"), { code: "ENOENT" });
  // A bare string of digits would be taken for a port.
  const socket = createConnection({ path });
  socket.once("error", reject);
  socket.once("connect", () => {
    socket.off("error", reject);
    resolve(new NetLineSocket(socket, options));
  });
  return await promise;
}

/** Rejects when the path cannot be listened on. */
export function listenLineSocket(
  path: string,
  onSocket: (socket: LineSocket) => void,
  options: LineSocketOptions = {},
): Promise<LineServer> {
  const { promise, resolve, reject } = Promise.withResolvers<LineServer>();
  const server = createServer({ pauseOnConnect: true }, (socket) => onSocket(new NetLineSocket(socket, options)));
  server.once("error", reject);
  server.listen(path, () => {
    server.off("error", reject);
    // A failing accept (no file descriptor left) costs that one connection; the client sees it closed and tries again.
    server.on("error", () => {});
    resolve({
      close: () =>
        new Promise((done) => {
          server.close(() => done());
          // `close` also waits for every open connection, and those have owners of their own.
          done();
        }),
    });
  });
  return promise;
}

class NetLineSocket implements LineSocket {
  readonly #socket: Socket;
  readonly #lineBytesMax: number;
  #closed: string | undefined;
  #closeListener: ((reason: string) => void) | undefined;
  #badLineListener: ((line: BadLine) => void) | undefined;
  #isCorked = false;

  constructor(socket: Socket, { lineBytesMax = LINE_BYTES_MAX }: LineSocketOptions) {
    this.#socket = socket;
    this.#lineBytesMax = lineBytesMax;
    socket.pause();
    socket.on("error", (error) => this.#settle(error.message));
    socket.on("close", () => this.#settle("the other end closed the connection"));
  }

  send(value: unknown): boolean {
    if (this.#closed !== undefined || this.#socket.destroyed) return true;
    const line = Buffer.from(toJsonLine(value));
    if (line.length > this.#lineBytesMax) return false;
    // Values sent in one breath leave in one system call.
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(line);
    return true;
  }

  onValue(listener: (value: unknown) => void): void {
    const reader = createJsonLineReader({
      // One chunk can hold several values, and the first of them may have led to the close.
      onValue: (value) => {
        if (this.#closed === undefined) listener(value);
      },
      onBad: (line) => {
        if (this.#closed === undefined) this.#badLineListener?.(line);
      },
      lineBytesMax: this.#lineBytesMax,
    });
    this.#socket.on("data", (chunk: Uint8Array) => reader.push(chunk));
    this.#socket.once("end", () => reader.end());
    this.#socket.resume();
  }

  onBad(listener: (line: BadLine) => void): void {
    this.#badLineListener = listener;
  }

  onClose(listener: (reason: string) => void): void {
    this.#closeListener = listener;
    if (this.#closed !== undefined) listener(this.#closed);
  }

  close(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#settle(reason);
    const cut = setTimeout(() => this.#socket.destroy(), CLOSE_GRACE_MS);
    this.#socket.once("close", () => clearTimeout(cut));
    // Bytes nobody reads would keep the socket from ending.
    this.#socket.resume();
    this.#socket.end(() => this.#socket.destroySoon());
  }

  get backlogBytes(): number {
    return this.#closed === undefined ? this.#socket.writableLength : 0;
  }

  #settle(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#closeListener?.(reason);
  }
}
