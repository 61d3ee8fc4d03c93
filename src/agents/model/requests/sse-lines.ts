/**
 * Takes the data lines out of a stream of server-sent events, however it was cut into pieces.
 * Every data line is one record: that is how all model servers write them, also those that forget the empty line.
 */
export interface SseLines {
  /** The data of the lines that this piece completes. */
  push(chunk: string): string[];
  /** The data of a last line without an end. */
  end(): string[];
  /** How long the line is that has begun. */
  readonly pending: number;
}

export function createSseLines(): SseLines {
  // Pieces of an unfinished line are joined once, when it ends: a line of megabytes comes in thousands of them.
  let begun: string[] = [];
  let pending = 0;
  return {
    get pending() {
      return pending;
    },
    push(chunk) {
      const lastBreak = chunk.lastIndexOf("\n");
      if (lastBreak === -1) {
        begun.push(chunk);
        pending += chunk.length;
        return [];
      }
      const whole = begun.join("") + chunk.slice(0, lastBreak);
      begun = [chunk.slice(lastBreak + 1)];
      pending = chunk.length - lastBreak - 1;
      return whole.split("\n").flatMap(dataOf);
    },
    end() {
      const rest = begun.join("");
      begun = [];
      pending = 0;
      return dataOf(rest);
    },
  };
}

function dataOf(line: string): string[] {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  // A server that fails in the middle may write its error as plain JSON.
  if (text.startsWith("{")) return [text];
  if (!text.startsWith("data:")) return [];
  const data = text.slice(5).trim();
  return data === "" ? [] : [data];
}
