/**
 * Splits a program's output into lines at \n only (a U+2028 inside a JSON string is no line end).
 * Guarantees: a character split across chunks is decoded as one, and only invalid bytes become U+FFFD; memory is
 * bounded by the longest allowed line, also when bytes arrive one at a time; a longer line is reported and skipped.
 */

export type Line =
  | { readonly kind: "line"; readonly text: string; readonly bytes: number }
  | { readonly kind: "oversize"; readonly bytes: number; readonly head: string }
  /** Last bytes of an output that did not end with a newline. */
  | { readonly kind: "unfinished"; readonly text: string; readonly bytes: number };

export interface LineSplitter {
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
