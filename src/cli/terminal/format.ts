/** Columns and times for a terminal. */
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

/** Local date and time to the minute. */
export function localTime(ts: number): string {
  const date = new Date(ts);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
