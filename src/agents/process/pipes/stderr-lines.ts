/** Lines of a program's standard error, made safe; of a line that is too long only the beginning is told. */
import { StringDecoder } from "node:string_decoder";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";

const LINE_CHARS_MAX = 4_096;

export function createStderrLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = (lines.pop() ?? "").slice(0, LINE_CHARS_MAX);
    for (const line of lines) onLine(terminalSafeLine(line.slice(0, LINE_CHARS_MAX).trimEnd()));
  };
}
