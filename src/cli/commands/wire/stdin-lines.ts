/** Standard input as lines. Memory stays below the longest allowed line; one that is longer is reported and left out. */
export interface LineHandlers {
  readonly onLine: (line: string) => void;
  readonly onTooLong: (bytes: number) => void;
}

const NEWLINE = 0x0a;

export function createLineSplitter({ onLine, onTooLong }: LineHandlers, lineBytesMax: number) {
  const decoder = new TextDecoder();
  let parts: Uint8Array[] = [];
  let bytes = 0;

  function finish(): void {
    const size = bytes;
    const line = size > lineBytesMax ? "" : decoder.decode(Buffer.concat(parts, size));
    parts = [];
    bytes = 0;
    if (size > lineBytesMax) onTooLong(size);
    else onLine(line);
  }

  function add(part: Uint8Array): void {
    bytes += part.length;
    if (bytes <= lineBytesMax) parts.push(part);
    else parts = [];
  }

  return {
    push(chunk: Uint8Array): void {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        add(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    /** A last line without its end is a line, too. */
    end(): void {
      if (bytes > 0) finish();
    },
  };
}
