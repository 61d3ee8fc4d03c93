/**
 * JSON lines over byte streams. Runs in any environment.
 * Characters split across chunks are joined. Memory is bounded by the longest allowed line. A line that is too long,
 * unfinished or not JSON is reported with its first characters; reading continues with the next line.
 */

/** Bytes retained from each end of an overlong line. */
export const EDGE_BYTES = 512;

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

interface CutLine {
  readonly bytes: number;
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

interface ByteLineOptions {
  /** `isEnded` is false for trailing bytes without a newline. */
  readonly onLine: (line: Uint8Array, isEnded: boolean) => void;
  readonly onTooLong: (line: CutLine) => void;
  readonly lineBytesMax: number;
}

export interface ByteLines {
  push(chunk: Uint8Array): void;
  /** Call at the end of the stream. */
  end(): void;
}

export function createByteLines({ onLine, onTooLong, lineBytesMax }: ByteLineOptions): ByteLines {
  let held = NOTHING;
  let heldBytes = 0;
  /** Length of the current line, including bytes already discarded. */
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

/** Above any frame we send, far below the longest string of an engine. */
export const LINE_BYTES_MAX = 32 * 1024 * 1024;

const HEAD_CHARS = 200;

export interface BadLine {
  readonly reason: "too_long" | "not_json" | "unfinished";
  readonly bytes: number;
  /** First characters, to trace where the line came from. */
  readonly head: string;
  /** Last characters, for lines that are too long. */
  readonly tail?: string;
}

export interface JsonLineOptions {
  readonly onValue: (value: unknown) => void;
  readonly onBad: (line: BadLine) => void;
  readonly lineBytesMax?: number;
}

/** `end` reports an incomplete line as unfinished. */
export function createJsonLineReader({ onValue, onBad, lineBytesMax = LINE_BYTES_MAX }: JsonLineOptions): ByteLines {
  const decoder = new TextDecoder();

  function reportBad(reason: "not_json" | "unfinished", bytes: number, line: string): void {
    onBad({ reason, bytes, head: line.slice(0, HEAD_CHARS) });
  }

  return createByteLines({
    lineBytesMax,
    onTooLong({ bytes, head, tail }) {
      const [start, end] = [decoder.decode(head), decoder.decode(tail)];
      onBad({ reason: "too_long", bytes, head: start.slice(0, HEAD_CHARS), tail: end.slice(-HEAD_CHARS) });
    },
    onLine(bytes, isEnded) {
      const line = decoder.decode(bytes);
      if (!isEnded) return reportBad("unfinished", bytes.length, line);
      if (line.trim() === "") return undefined;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        // The parser's message quotes the line and says little; report the line's head instead.
        return reportBad("not_json", bytes.length, line);
      }
      return onValue(value);
    },
  });
}

export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
