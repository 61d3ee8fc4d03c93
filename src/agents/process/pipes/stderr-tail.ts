/** The last words of a program on its standard error, safe to show; everything before them is let go. */
import { terminalSafe } from "../../../kit/text/terminal-safe.ts";

export const STDERR_TAIL_BYTES = 8 * 1024;

export class StderrTail {
  #bytes: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const joined = chunk.length >= STDERR_TAIL_BYTES ? chunk : Buffer.concat([this.#bytes, chunk]);
    // A copy: a slice would keep the whole chunk alive.
    this.#bytes = Buffer.from(joined.subarray(-STDERR_TAIL_BYTES));
  }

  clear(): void {
    this.#bytes = Buffer.alloc(0);
  }

  /** At most 8 KiB, also after control characters were made visible; a character cut at the beginning is left out. */
  text(): string {
    const start = this.#bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
    const safe = terminalSafe(this.#bytes.toString("utf8", Math.max(start, 0))).trim();
    const bytes = Buffer.from(safe);
    if (bytes.length <= STDERR_TAIL_BYTES) return safe;
    return bytes
      .subarray(-STDERR_TAIL_BYTES)
      .toString("utf8")
      .replace(/^\ufffd+/, "");
  }
}
