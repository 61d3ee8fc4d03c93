/**
 * The ranges of a text that comes in pieces, as if it had come whole: what is cut by a border between two pieces is found.
 * Holds no more than a window of the text.
 */
import type { Range } from "./ranges.ts";

const WINDOW_CHARS = 256 * 1024;
/** What is looked at again with the pieces that follow; longer than the longest thing that is looked for. */
const TAIL_CHARS = 40 * 1024;
/** What stands before a secret and makes it one. */
const CONTEXT_CHARS = 1024;

export interface RangeStream {
  push(chunk: string): void;
  /** All ranges, by their place in the whole text. */
  end(): Range[];
}

export function createRangeStream(find: (text: string) => readonly Range[]): RangeStream {
  const settled: Range[] = [];
  let text = "";
  /** The place of `text` in the whole. */
  let base = 0;
  /** Ranges that begin before this place are settled. */
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
