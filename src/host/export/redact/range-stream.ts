/**
 * Ranges to redact in a text that arrives in chunks, found as if it had arrived whole. Holds a window of the text only.
 */
import type { Range } from "./ranges.ts";

const WINDOW_CHARS = 256 * 1024;
/** Scanned again with the next chunk; longer than the longest match. */
const TAIL_CHARS = 40 * 1024;
/** Context before a secret by which it is recognised. */
const CONTEXT_CHARS = 1024;

export interface RangeStream {
  push(chunk: string): void;
  /** All ranges, by offset in the whole text. */
  end(): Range[];
}

export function createRangeStream(find: (text: string) => readonly Range[]): RangeStream {
  const settled: Range[] = [];
  let text = "";
  /** Offset of `text` in the whole text. */
  let base = 0;
  /** Ranges that start before this offset are final. */
  let settledTo = 0;

  function settle(upTo: number): void {
    for (const { start, end, kind } of find(text)) {
      const at = base + start;
      if (at < settledTo || at >= upTo) continue;
      settled.push({ start: at, end: base + end, kind });
    }
    settledTo = upTo;
    const from = Math.max(0, Math.min(text.length, upTo - CONTEXT_CHARS - base));
    text = text.slice(from);
    base += from;
  }

  return {
    push(chunk) {
      text += chunk;
      if (text.length > WINDOW_CHARS) settle(base + text.length - TAIL_CHARS);
    },
    end() {
      settle(base + text.length + 1);
      return settled;
    },
  };
}
