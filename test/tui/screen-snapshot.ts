/**
 * Screens kept as text in test/tui/screens/, for a person to read. `WRITE_SCREENS=1` writes them anew; what has changed
 * is then read in the diff.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { masked } from "./masked-screen.ts";

const directory = path.join(path.dirname(fileURLToPath(import.meta.url)), "screens");

/** Compares with test/tui/screens/NAME.txt. */
export function expectScreen(rows: readonly string[], name: string): void {
  const file = path.join(directory, `${name}.txt`);
  const text = `${masked(rows)}\n`;
  if (process.env["WRITE_SCREENS"] === "1") {
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text, file).toBe(readFileSync(file, "utf8"));
}

/** The overlay alone: from the rule that has its title down to its hints, which are the last row of the screen. */
export function overlayRows(rows: readonly string[]): string[] {
  const last = rows.findLastIndex((row) => row !== "");
  const lower = rows.findLastIndex((row, at) => at < last && /^─+$/.test(row));
  const top = rows.findLastIndex((row, at) => at < lower && row.startsWith("─ "));
  return rows.slice(top, last + 1);
}
