/**
 * A client and a host in one process, linked as if by a wire: frames are carried as text, arrive later than `send`
 * returns, in order, and share nothing with what was sent. An end that closes hears no more; the other end first gets
 * what was sent to it, then hears of the close.
 */
import type { ClientConnection, ClientFrame, Connection, HostConnection, HostFrame } from "../protocol/index.ts";

export function createConnectionPair(): [ClientConnection, HostConnection] {
  const toHost = new Channel<ClientFrame>();
  const toClient = new Channel<HostFrame>();
  return [createEnd(toHost, toClient), createEnd(toClient, toHost)];
}

function createEnd<Out, In>(out: Channel<Out>, back: Channel<In>): Connection<Out, In> {
  return {
    send: (frame) => out.send(frame),
    onFrame: (listener) => back.onFrame(listener),
    onClose: (listener) => back.onClose(listener),
    close(reason) {
      back.cut(reason);
      out.finish(reason);
    },
    get backlogBytes() {
      return out.backlogBytes;
    },
  };
}

/** One direction. Its listeners are those of the end that receives. */
class Channel<Frame> {
  backlogBytes = 0;
  #lines: string[] = [];
  #onFrame: ((frame: Frame) => void) | undefined;
  #onClose: ((reason: string) => void) | undefined;
  #finishing: string | undefined;
  #closed: string | undefined;
  #isScheduled = false;

  send(frame: Frame): void {
    if (this.#finishing !== undefined || this.#closed !== undefined) return;
    const line = JSON.stringify(frame);
    this.backlogBytes += line.length;
    this.#lines.push(line);
    this.#schedule();
  }

  onFrame(listener: (frame: Frame) => void): void {
    this.#onFrame = listener;
    this.#schedule();
  }

  onClose(listener: (reason: string) => void): void {
    this.#onClose = listener;
    if (this.#closed !== undefined) listener(this.#closed);
  }

  /** The sender closes: what is under way still arrives. */
  finish(reason: string): void {
    if (this.#finishing !== undefined || this.#closed !== undefined) return;
    this.#finishing = reason;
    this.#schedule();
  }

  /** The receiver closes: nothing arrives any more. */
  cut(reason: string): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#lines = [];
    this.backlogBytes = 0;
    this.#onClose?.(reason);
  }

  #schedule(): void {
    const hasWork = this.#lines.length > 0 || this.#finishing !== undefined;
    if (this.#isScheduled || !hasWork || this.#onFrame === undefined) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) {
      if (this.#closed !== undefined) return;
      this.backlogBytes -= line.length;
      this.#onFrame?.(JSON.parse(line) as Frame);
    }
    if (this.#finishing === undefined) return;
    if (this.#lines.length > 0) this.#schedule();
    else this.cut(this.#finishing);
  }
}
