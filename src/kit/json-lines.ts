/**
 * JSON values as lines of bytes, one a line. Runs anywhere, knows nothing of who is at the other end.
 * Promises: a character cut by a chunk border comes out whole; memory stays below the longest allowed line; a line that
 * is too long, unfinished or not JSON is reported with its first characters and the reading goes on with the next line.
 */

/** Long enough for any frame we send, far below the longest string an engine can hold. */
export const LINE_BYTES_MAX = 32 * 1024 * 1024;

const HEAD_CHARS = 200;
const NEWLINE = 0x0a;

export interface BadLine {
  readonly reason: "too_long" | "not_json" | "unfinished";
  readonly bytes: number;
  /** Its beginning, for the person who has to find out where it came from. */
  readonly head: string;
}

interface JsonLineReader {
  push(chunk: Uint8Array): void;
  /** Call when no more bytes come; a half line is reported as unfinished. */
  end(): void;
}

export interface JsonLineOptions {
  readonly onValue: (value: unknown) => void;
  readonly onBad: (line: BadLine) => void;
  readonly lineBytesMax?: number;
}

export function createJsonLineReader({ onValue, onBad, lineBytesMax = LINE_BYTES_MAX }: JsonLineOptions) {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  /** Bytes of the line so far, counted also when they are no longer kept. */
  let bytes = 0;

  function add(part: Uint8Array): void {
    bytes += part.length;
    if (bytes <= lineBytesMax) parts.push(part);
    // The beginning is kept for the report; the rest of a line that is too long is only counted.
    else parts = [(parts[0] ?? part).slice(0, HEAD_CHARS)];
  }

  function take(): string {
    const line = parts.length === 1 ? decoder.decode(parts[0]) : decoder.decode(join(parts));
    parts = [];
    bytes = 0;
    return line;
  }

  function finishLine(): void {
    const size = bytes;
    const line = take();
    if (size > lineBytesMax) return onBad({ reason: "too_long", bytes: size, head: line.slice(0, HEAD_CHARS) });
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // The parser's own words quote the line and say little; the report carries the line's head instead.
      return onBad({ reason: "not_json", bytes: size, head: line.slice(0, HEAD_CHARS) });
    }
    onValue(value);
  }

  const reader: JsonLineReader = {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, at));
        finishLine();
        start = at + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    end() {
      if (bytes === 0) return;
      const size = bytes;
      onBad({ reason: "unfinished", bytes: size, head: take().slice(0, HEAD_CHARS) });
    },
  };
  return reader;
}

export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
