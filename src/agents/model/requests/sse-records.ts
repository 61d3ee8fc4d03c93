/**
 * Records of a model server's event stream. Each `data:` line is a record of its own, since some servers omit the blank
 * line between events. A server that fails mid-stream may send its error as a plain JSON line, which is a record too.
 */
import { createParser } from "eventsource-parser";

export interface SseRecords {
  /** Returns the records that this chunk completes. */
  push(chunk: string): string[];
  /** Returns the last record when the stream ends without a line break. */
  end(): string[];
  /** True once a line is longer than `lineCharsMax`; nothing may be pushed after that. */
  readonly isTooLong: boolean;
}

export function createSseRecords(lineCharsMax: number): SseRecords {
  let records: string[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: lineCharsMax,
    onEvent({ data }) {
      if (data.trim() !== "") records.push(data.trim());
    },
    onError({ type, line = "" }) {
      if (type === "max-buffer-size-exceeded") isTooLong = true;
      else if (line.startsWith("{")) records.push(line);
    },
  });
  const push = (chunk: string): string[] => {
    records = [];
    // A second line break after each line dispatches it at once.
    parser.feed(chunk.replaceAll("\n", "\n\n"));
    return records;
  };
  return {
    push,
    end: () => push("\n"),
    get isTooLong() {
      return isTooLong;
    },
  };
}
