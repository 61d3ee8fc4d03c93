import { expect, test } from "vitest";
import { fileDiffs } from "./unified-diff.ts";

test("a unified diff becomes old and new text for each file, new and deleted ones too", () => {
  const diff = [
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -1,3 +1,3 @@",
    " keep",
    "-old",
    "+new",
    "--- /dev/null",
    "+++ b/made.txt",
    "@@ -0,0 +1 @@",
    "+made",
    "--- a/gone.txt",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-gone",
    "",
  ].join("\n");
  expect(fileDiffs(diff)).toStrictEqual([
    { path: "src/a.ts", oldText: "keep\nold", newText: "keep\nnew" },
    { path: "made.txt", oldText: null, newText: "made" },
    { path: "gone.txt", oldText: "gone", newText: "" },
  ]);
});

test("text that is not a diff gives nothing", () => {
  expect(fileDiffs("")).toStrictEqual([]);
  expect(fileDiffs("just words\n-and a line")).toStrictEqual([]);
});
