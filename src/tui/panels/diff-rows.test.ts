import { expect, test } from "vitest";
import { stripVTControlCharacters } from "node:util";
import { createTheme } from "../theme/create-theme.ts";
import { diffRows } from "./diff-rows.ts";

const DIFF = [
  "--- a/src/lease.ts",
  "+++ b/src/lease.ts",
  "@@ -40,3 +40,3 @@ class Lease",
  "   isExpired(): boolean {",
  "-    return this.expiresAt < Date.now();",
  "+    return this.expiresAt < this.clock.now();",
  "   }",
  "@@ -60,1 +60,2 @@",
  " a",
  "+b",
].join("\n");
const dark = createTheme({ name: "dark", depth: "truecolor" });

test("lines have numbers and signs, hunks stand apart, and the rows that name files are left out", () => {
  const rows = diffRows(DIFF, { theme: dark, width: 60, rowsMax: 99 });
  expect(rows.map((row) => stripVTControlCharacters(row).trimEnd())).toEqual([
    "   40     isExpired(): boolean {",
    "   41 −     return this.expiresAt < Date.now();",
    "   41 +     return this.expiresAt < this.clock.now();",
    "   42     }",
    "     …",
    "   60   a",
    "   61 + b",
  ]);
});

test("words that changed inside of a line are marked, and nothing else", () => {
  const [, removed = "", added = ""] = diffRows(DIFF, { theme: dark, width: 60, rowsMax: 99 });
  expect(removed).toContain(dark.paint("removedWord", "Date"));
  const [mark = ""] = dark.paint("addedWord", "x").split("x");
  expect(added.split(mark).slice(1).join("")).toMatch(/^this/);
  const other = diffRows("@@ -1 +1 @@\n-one two\n+three four five", { theme: dark, width: 60, rowsMax: 99 });
  expect(other.join("")).not.toContain(dark.paint("addedWord", "three"));
});

test("no row is wider than asked for, and what is left out is counted", () => {
  const rows = diffRows(DIFF, { theme: dark, width: 20, rowsMax: 3 }).map(stripVTControlCharacters);
  expect(rows).toHaveLength(4);
  expect(rows.every((row) => row.length <= 20)).toBe(true);
  expect(rows.at(-1)).toBe("… 3 more lines");
});
