/**
 * A stream of bytes as lines, on \n and nothing else. Runs anywhere.
 * Promises: memory stays below twice the longest allowed line, also when bytes come one at a time; a line that is longer
 * is told once it ends, with its beginning and its end, and was never held whole.
 */

/** What is kept of a line that is too long, of its beginning and of its end. */
export const EDGE_BYTES = 512;

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

export interface CutLine {
  readonly bytes: number;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

export interface ByteLineOptions {
  /** `isEnded` is false for the last bytes of a stream that has stopped in the middle of a line. */
  readonly onLine: (line: Uint8Array, isEnded: boolean) => void;
  readonly onTooLong: (line: CutLine) => void;
  readonly lineBytesMax: number;
}

export interface ByteLines {
  push(chunk: Uint8Array): void;
  /** Call when no more bytes come. */
  end(): void;
}

export function createByteLines({ onLine, onTooLong, lineBytesMax }: ByteLineOptions): ByteLines {
  let held = NOTHING;
  let heldBytes = 0;
  /** Bytes of the line so far, counted also when they are no longer held. */
  let bytes = 0;
  let tail = NOTHING;

  function hold(part: Uint8Array): void {
    bytes += part.length;
    if (bytes > lineBytesMax) return cut(part);
    if (bytes > held.length) {
      const longer = new Uint8Array(Math.min(lineBytesMax, Math.max(bytes, held.length * 2, EDGE_BYTES)));
      longer.set(held.subarray(0, heldBytes));
      held = longer;
    }
    held.set(part, heldBytes);
    heldBytes += part.length;
  }

  function cut(part: Uint8Array): void {
    const whole = held.subarray(0, heldBytes);
    if (tail.length === 0) tail = whole.slice(-EDGE_BYTES);
    if (heldBytes !== EDGE_BYTES) {
      held = join(whole.subarray(0, EDGE_BYTES), part.subarray(0, Math.max(0, EDGE_BYTES - heldBytes)));
      heldBytes = held.length;
    }
    tail = join(tail, part.subarray(-EDGE_BYTES)).slice(-EDGE_BYTES);
  }

  function finish(isEnded: boolean): void {
    const [line, size, end] = [held.subarray(0, heldBytes), bytes, tail];
    [held, heldBytes, bytes, tail] = [NOTHING, 0, 0, NOTHING];
    if (size > lineBytesMax) onTooLong({ bytes: size, head: line, tail: end });
    else onLine(line, isEnded);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        const part = chunk.subarray(start, at);
        start = at + 1;
        if (bytes === 0 && part.length <= lineBytesMax) onLine(part, true);
        else {
          hold(part);
          finish(true);
        }
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    },
    end() {
      if (bytes > 0) finish(false);
    },
  };
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
