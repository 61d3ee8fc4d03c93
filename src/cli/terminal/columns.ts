/** Aligns rows of cells in columns. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { largest } from "../../kit/largest.ts";

/** Cells may come from other programs or paths, so control characters are escaped. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(terminalSafeLine));
  const widths = safe[0]?.map((_, column) => largest(safe.map((row) => row[column]?.length ?? 0))) ?? [];
  return safe
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
