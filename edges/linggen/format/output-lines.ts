/** Streamed tool output by line: sent when complete, too long, or when the call ends. */
const LINE_CHARS_MAX = 4_096;
/** Lines per chunk of output; more stay in the session only. */
const LINES_AT_ONCE_MAX = 200;

export type OutputStream = "stdout" | "stderr";

export interface OutputLines {
  push(toolCallId: string, stream: OutputStream, text: string): string[];
  /** Rest without a line end. */
  end(toolCallId: string): { stream: OutputStream; line: string }[];
}

export function createOutputLines(): OutputLines {
  const partial = new Map<string, Partial<Record<OutputStream, string>>>();
  return {
    push(toolCallId, stream, text) {
      const before = partial.get(toolCallId) ?? {};
      const lines = `${before[stream] ?? ""}${text}`.split(/\r?\n/);
      const rest = lines.pop() ?? "";
      const isTooLong = rest.length > LINE_CHARS_MAX;
      partial.set(toolCallId, { ...before, [stream]: isTooLong ? "" : rest });
      const whole = isTooLong ? [...lines, rest] : lines;
      return whole.slice(-LINES_AT_ONCE_MAX).map((line) => line.slice(0, LINE_CHARS_MAX));
    },
    end(toolCallId) {
      const { stdout = "", stderr = "" } = partial.get(toolCallId) ?? {};
      partial.delete(toolCallId);
      return [
        { stream: "stdout" as const, line: stdout },
        { stream: "stderr" as const, line: stderr },
      ].filter(({ line }) => line !== "");
    },
  };
}
