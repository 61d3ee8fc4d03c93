/** Rows of cells as lines, each column as wide as its widest cell. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { largest } from "../../kit/largest.ts";

/** What stands in a cell may come from another program or from a path, so each is made safe before it is shown. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(terminalSafeLine));
  const widths = safe[0]?.map((_, column) => largest(safe.map((row) => row[column]?.length ?? 0))) ?? [];
  return safe
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
