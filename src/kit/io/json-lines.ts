/**
 * JSON values as lines of bytes, one a line. Runs anywhere, knows nothing of who is at the other end.
 * Promises: a character cut by a chunk border comes out whole; memory stays below the longest allowed line; a line that
 * is too long, unfinished or not JSON is reported with its first characters and the reading goes on with the next line.
 */
import { createByteLines, type ByteLines } from "./byte-lines.ts";

/** Long enough for any frame we send, far below the longest string an engine can hold. */
export const LINE_BYTES_MAX = 32 * 1024 * 1024;

const HEAD_CHARS = 200;

export interface BadLine {
  readonly reason: "too_long" | "not_json" | "unfinished";
  readonly bytes: number;
  /** Its beginning, for the person who has to find out where it came from. */
  readonly head: string;
  /** Its end, where it is too long. */
  readonly tail?: string;
}

export interface JsonLineOptions {
  readonly onValue: (value: unknown) => void;
  readonly onBad: (line: BadLine) => void;
  readonly lineBytesMax?: number;
}

/** Its `end` reports a half line as unfinished. */
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
        // The parser's own words quote the line and say little; the report carries the line's head instead.
        return reportBad("not_json", bytes.length, line);
      }
      return onValue(value);
    },
  });
}

export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
