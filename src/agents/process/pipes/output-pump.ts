/**
 * Delivers a program's output to its reader line by line, in time slices.
 * Guarantees: the queue is bounded, so a program that floods is paused; a reader may be slow (it returns a promise);
 * the event loop runs between two slices.
 */
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
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
  readonly #splitter: LineSplitter;
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
    this.#splitter = createLineSplitter(options.limits);
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
    this.#add(this.#splitter.push(chunk));
    if (this.#isFull()) this.#stream.pause();
  }

  #finish(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#add(this.#splitter.end());
    this.#ended.resolve();
    if (!this.#isPumping) this.#drained.resolve();
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines) {
      this.#queue.push(line);
      this.#waitingBytes += weight(line);
    }
    if (!this.#isPumping && this.#queue.length > 0) {
      this.#isPumping = true;
      void this.#pump();
    }
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

interface LineSplitter {
  push(chunk: Buffer): Line[];
  /** Call once, after the last chunk. */
  end(): Line[];
}

const NEWLINE = 0x0a;
const BOM = "\ufeff";
/** Bytes quoted of an oversized line. */
export const OVERSIZE_HEAD_BYTES = 512;
/**
 * Smaller chunks are copied into blocks, so that a line that arrives byte by byte does not become a million objects.
 */
const SMALL_CHUNK_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;

/**
 * Splits output into lines at \n only (a U+2028 inside a JSON string is no line end).
 * Guarantees: a character split across chunks is decoded as one, and only invalid bytes become U+FFFD; memory is
 * bounded by the longest allowed line, also when bytes arrive one at a time; a longer line is reported and skipped.
 */
export function createLineSplitter({ lineBytesMax }: { lineBytesMax: number }): LineSplitter {
  const held = new HeldBytes();
  /** Size of the current line, including bytes that are no longer held. */
  let bytes = 0;
  let isFirst = true;

  function hold(part: Buffer): void {
    bytes += part.length;
    if (bytes <= lineBytesMax) held.add(part);
    else held.shrink(part);
  }

  function text(whole: string): string {
    const wasFirst = isFirst;
    isFirst = false;
    const body = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    return wasFirst && body.startsWith(BOM) ? body.slice(1) : body;
  }

  function finish(kind: "line" | "unfinished"): Line {
    const size = bytes;
    bytes = 0;
    if (size > lineBytesMax) {
      isFirst = false;
      return { kind: "oversize", bytes: size, head: held.flush().replace(/\ufffd+$/, "") };
    }
    return { kind, text: text(held.flush()), bytes: size };
  }

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        if (bytes === 0 && at - start <= lineBytesMax) {
          lines.push({ kind: "line", text: text(chunk.toString("utf8", start, at)), bytes: at - start });
        } else {
          hold(chunk.subarray(start, at));
          lines.push(finish("line"));
        }
        start = at + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
      return lines;
    },
    end: () => (bytes === 0 ? [] : [finish("unfinished")]),
  };
}

/** Bytes of the incomplete line. */
class HeldBytes {
  #chunks: Buffer[] = [];
  #block: Buffer | null = null;
  #used = 0;
  #isShrunk = false;

  add(part: Buffer): void {
    if (part.length >= SMALL_CHUNK_BYTES) {
      this.#closeBlock();
      this.#chunks.push(part);
      return;
    }
    if (this.#block === null || this.#used + part.length > this.#block.length) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#used += part.copy(this.#block, this.#used);
  }

  /** Drops an oversized line except for its head, which includes `part` when nothing was held yet. */
  shrink(part: Buffer): void {
    if (this.#isShrunk) return;
    this.#closeBlock();
    this.#chunks = [Buffer.concat([...this.#chunks.slice(0, 2), part].map(beginning)).subarray(0, OVERSIZE_HEAD_BYTES)];
    this.#isShrunk = true;
  }

  flush(): string {
    this.#closeBlock();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#isShrunk = false;
    if (chunks.length === 1) return (chunks[0] as Buffer).toString("utf8");
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    return chunks.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  }

  #closeBlock(): void {
    if (this.#block !== null && this.#used > 0) this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = null;
    this.#used = 0;
  }
}

function beginning(part: Buffer): Buffer {
  return part.subarray(0, OVERSIZE_HEAD_BYTES);
}
