/** Standard input as lines of text. An oversized or non-text line is reported and skipped; the next one is read. */
import { createByteLines, type ByteLines } from "./json-lines.ts";

/** The longest message that a session accepts, escaped, plus its envelope. */
export const LINE_BYTES_MAX = 8 * 1024 * 1024;

export interface LineLeftOut {
  readonly reason: "too_long" | "not_utf8";
  readonly bytes: number;
  /** Head and tail of an oversized line. */
  readonly head: string;
  readonly tail: string;
}

export interface LineHandlers {
  /** A last line without a newline counts too. */
  readonly onLine: (line: string) => void;
  readonly onLeftOut: (line: LineLeftOut) => void;
}

export function createLineSplitter({ onLine, onLeftOut }: LineHandlers): ByteLines {
  const strict = new TextDecoder("utf-8", { fatal: true });
  const lenient = new TextDecoder();
  return createByteLines({
    lineBytesMax: LINE_BYTES_MAX,
    onTooLong: ({ bytes, head, tail }) =>
      onLeftOut({ reason: "too_long", bytes, head: lenient.decode(head), tail: lenient.decode(tail) }),
    onLine(bytes) {
      let line: string;
      try {
        line = strict.decode(bytes);
      } catch {
        // Dropping characters would change the message.
        return onLeftOut({ reason: "not_utf8", bytes: bytes.length, head: "", tail: "" });
      }
      return onLine(line);
    },
  });
}

/** The actual size and the limit. */
export function formatLeftOut({ reason, bytes }: LineLeftOut): string {
  return reason === "too_long"
    ? `a line of ${bytes} bytes was left out; at most ${LINE_BYTES_MAX} are read. Send less at once, or name a file instead of its content`
    : `a line of ${bytes} bytes was left out: it is not UTF-8. Send text as UTF-8`;
}
