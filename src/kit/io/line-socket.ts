/**
 * JSON lines over a Unix socket (a named pipe on Windows): client and server.
 * Values arrive in order, once. Nothing throws once connected. Unreadable lines go to `onBad`. Values that arrive
 * before `onValue` is set stay unread in the kernel.
 */
import { createConnection, createServer, type Socket } from "node:net";
import { createJsonLineReader, LINE_BYTES_MAX, toJsonLine, type BadLine } from "./json-lines.ts";

export interface LineSocket {
  /** False when the value exceeds the line limit and was not sent. Ignored after close. */
  send(value: unknown): boolean;
  /** Starts reading; set `onBad` first. */
  onValue(listener: (value: unknown) => void): void;
  onBad(listener: (line: BadLine) => void): void;
  /** Called once, also when set after the close. */
  onClose(listener: (reason: string) => void): void;
  /** Flushes accepted values, then closes. */
  close(reason: string): void;
  /** Bytes accepted by `send` and not yet taken by the kernel. */
  readonly backlogBytes: number;
}

export interface LineServer {
  /** Stops listening; open connections stay open. */
  close(): Promise<void>;
}

/** Time to flush on close before the socket is destroyed. */
const CLOSE_GRACE_MS = 1_000;

export interface LineSocketOptions {
  readonly lineBytesMax?: number;
}

/** Rejects with the system's error (ENOENT, ECONNREFUSED …) when nobody listens there, also for an empty path. */
export async function connectLineSocket(path: string, options: LineSocketOptions = {}): Promise<LineSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<LineSocket>();
  if (path === "") throw Object.assign(new Error("ENOENT: empty socket path"), { code: "ENOENT" });
  // A bare string of digits would be read as a port.
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
    // A failed accept (out of file descriptors) costs that connection only; the client sees it closed and retries.
    server.on("error", () => {});
    resolve({
      close: () =>
        new Promise((done) => {
          server.close(() => done());
          // The callback of `close` waits for all open connections, which have their own owners.
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
    // Values sent in the same tick leave in one system call.
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
      // One chunk can hold several values, and the first may have led to the close.
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
    // Unread bytes would keep the socket from ending.
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
