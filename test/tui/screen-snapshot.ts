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

/** The topmost overlay alone, cut out of the picture around it. */
export function overlayRows(rows: readonly string[]): string[] {
  const top = rows.findIndex((row) => row.includes("╭─"));
  const bottom = rows.findIndex((row, at) => at > top && row.includes("╰─"));
  const from = rows[top]?.indexOf("╭─") ?? 0;
  const to = (rows[top]?.lastIndexOf("╮") ?? 0) + 1;
  return rows.slice(top, bottom + 1).map((row) => row.slice(from, to));
}
