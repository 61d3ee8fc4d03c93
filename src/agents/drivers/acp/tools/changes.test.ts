import { expect, test } from "vitest";
import { lineDiff } from "./changes.ts";

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

test("a new file is all additions", () => {
  expect(lineDiff({ path: "a", before: undefined, after: "x\ny\n" })).toBe(
    "--- /dev/null\n+++ a\n@@ -0,0 +1,2 @@\n+x\n+y\n",
  );
});

test("a change is one hunk with three lines around it", () => {
  const diff = lineDiff({ path: "a", before: lines(1, 20), after: lines(1, 9) + "new\n" + lines(11, 20) });
  expect(diff).toBe(
    "--- a\n+++ a\n@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+new\n line 11\n line 12\n line 13\n",
  );
});

test("repeated lines at both ends are not counted twice", () => {
  expect(lineDiff({ path: "a", before: "x\nx\n", after: "x\nx\nx\n" })).toBe(
    "--- a\n+++ a\n@@ -1,2 +1,3 @@\n x\n x\n+x\n",
  );
  expect(lineDiff({ path: "a", before: "x\nx\nx\n", after: "" })).toBe("--- a\n+++ a\n@@ -1,3 +0,0 @@\n-x\n-x\n-x\n");
});

test("an unchanged file has no hunk, and a text too long to compare says so", () => {
  expect(lineDiff({ path: "a", before: "x\n", after: "x\n" })).toBe("--- a\n+++ a\n");
  expect(lineDiff({ path: "a", before: undefined, after: "x".repeat(500_000) })).toBe(
    "--- /dev/null\n+++ a\n(too long to be shown)\n",
  );
});
