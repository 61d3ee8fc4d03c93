/**
 * Appends lines and nothing else: no byte that moves a cursor, no line written twice. Foreign text is made safe here.
 * What somebody else wrote is moved in by two spaces and our own lines never are, so no member can pass a line of its
 * answer for one of ours.
 */
import { terminalSafe, terminalSafeLine } from "../../kit/text/terminal-safe.ts";

export interface LineOutput {
  /** One line of ours. */
  write(text: string): void;
  /** What somebody wrote, as it was written; blank lines at either end are left out. */
  quote(text: string): void;
  /** Rows that are moved in already; their styling is left out. */
  rows(rows: readonly string[]): void;
}

const INDENT = "  ";

export function createLineOutput(write: (text: string) => void): LineOutput {
  return {
    write: (text) => write(`${terminalSafeLine(text).trimStart()}\n`),
    quote(text) {
      const lines = terminalSafe(text)
        .replace(/^(?:[ \t]*\n)+/, "")
        .trimEnd();
      if (lines === "") return;
      write(
        lines
          .split("\n")
          .map((line) => (line === "" ? "\n" : `${INDENT}${line}\n`))
          .join(""),
      );
    },
    rows: (rows) => write(rows.map((row) => `${terminalSafe(row)}\n`).join("")),
  };
}
