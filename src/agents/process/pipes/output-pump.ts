/**
 * Delivers a program's output to its reader line by line, in time slices.
 * Guarantees: the queue is bounded, so a program that floods is paused; a reader may be slow (it returns a promise);
 * the event loop runs between two slices.
 */
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createByteLines, type ByteLines } from "../../../kit/io/json-lines.ts";
import type { ProcessLimits } from "../limits.ts";

/** Delivery time before the event loop gets a turn. */
const SLICE_MS = 8;
/** A slice shorter than this may be followed by the next one at once. */
const BRISK_MS = 1;

export type Line =
  | { readonly kind: "line"; readonly text: string; readonly bytes: number }
  | { readonly kind: "oversize"; readonly bytes: number; readonly head: string }
  /** Last bytes of an output that did not end with a newline. */
  | { readonly kind: "unfinished"; readonly text: string; readonly bytes: number };

export interface PumpOptions {
  readonly limits: Pick<ProcessLimits, "lineBytesMax" | "queueBytesMax" | "queueLinesMax">;
  /** Must not throw or reject. */
  readonly onLine: (line: Line) => void | Promise<void>;
  readonly onBytes: () => void;
}

export class OutputPump {
  /** Resolves when the stream has ended or was cut and the last line was delivered. */
  readonly drained: Promise<void>;
  /** Resolves when no more bytes can arrive. */
  readonly ended: Promise<void>;
  readonly #stream: Readable;
  readonly #options: PumpOptions;
  readonly #splitter: ByteLines;
  readonly #drained = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #queue: Line[] = [];
  #next = 0;
  #waitingBytes = 0;
  #isPumping = false;
  #isEnded = false;

  constructor(stream: Readable, options: PumpOptions) {
    this.#stream = stream;
    this.#options = options;
    this.#splitter = createLineSplitter({
      lineBytesMax: options.limits.lineBytesMax,
      onLine: (line) => this.#enqueue(line),
    });
    this.drained = this.#drained.promise;
    this.ended = this.#ended.promise;
    stream.on("data", (chunk: Buffer) => this.#onChunk(chunk));
    stream.once("end", () => this.#finish());
    // A broken pipe counts as an end; earlier output is valid.
    stream.once("error", () => this.#finish());
    stream.once("close", () => this.#finish());
  }

  /** Stops reading the stream; output that was read already is still delivered. */
  cut(): void {
    this.#stream.destroy();
    this.#finish();
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isEnded) return;
    this.#options.onBytes();
    this.#splitter.push(chunk);
    this.#startPump();
    if (this.#isFull()) this.#stream.pause();
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#splitter.end();
    this.#startPump();
    this.#ended.resolve();
    if (!this.#isPumping) this.#drained.resolve();
  }

  #enqueue(line: Line): void {
    this.#queue.push(line);
    this.#waitingBytes += weight(line);
  }

  #startPump(): void {
    if (this.#isPumping || this.#queue.length === 0) return;
    this.#isPumping = true;
    void this.#pump();
  }

  async #pump(): Promise<void> {
    while (this.#next < this.#queue.length) {
      const startMs = performance.now();
      await this.#handOver(startMs);
      this.#queue.splice(0, this.#next);
      this.#next = 0;
      if (!this.#isEnded && !this.#isFull()) this.#stream.resume();
      if (this.#queue.length > 0 || performance.now() - startMs > BRISK_MS) await setImmediate();
    }
    this.#isPumping = false;
    if (this.#isEnded) this.#drained.resolve();
  }

  async #handOver(startMs: number): Promise<void> {
    while (this.#next < this.#queue.length && performance.now() - startMs < SLICE_MS) {
      const line = this.#queue[this.#next++] as Line;
      this.#waitingBytes -= weight(line);
      const handled = this.#options.onLine(line);
      if (handled !== undefined) await handled;
    }
  }

  #isFull(): boolean {
    const { queueBytesMax, queueLinesMax } = this.#options.limits;
    return this.#waitingBytes > queueBytesMax || this.#queue.length - this.#next > queueLinesMax;
  }
}

/** Memory of a queued line; of an oversized one only the head is stored. */
function weight(line: Line): number {
  return line.kind === "oversize" ? line.head.length : line.bytes;
}

const BOM = "\ufeff";

/**
 * Splits output into lines at \n only (a U+2028 inside a JSON string is no line end) and drops a trailing \r.
 * Only invalid bytes become U+FFFD; an overlong line is reported with its head and skipped.
 */
export function createLineSplitter({ lineBytesMax, onLine }: LineSplitterOptions): ByteLines {
  let isFirst = true;

  function text(bytes: Uint8Array): string {
    const whole = decode(bytes);
    const start = isFirst && whole.startsWith(BOM) ? 1 : 0;
    isFirst = false;
    return whole.slice(start, whole.endsWith("\r") ? -1 : undefined);
  }

  return createByteLines({
    lineBytesMax,
    onLine: (line, isEnded) => onLine({ kind: isEnded ? "line" : "unfinished", text: text(line), bytes: line.length }),
    onTooLong({ bytes, head }) {
      isFirst = false;
      // A character cut at the end of the head is not part of the quote.
      onLine({ kind: "oversize", bytes, head: decode(head).replace(/\ufffd+$/, "") });
    },
  });
}

interface LineSplitterOptions {
  readonly lineBytesMax: number;
  readonly onLine: (line: Line) => void;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
