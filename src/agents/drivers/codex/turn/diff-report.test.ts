import { expect, test } from "vitest";
import { FILE_DIFF_CHARS_MAX, FILES_MAX, reportChanges, reportFileItems } from "./diff-report.ts";

const ADDED =
  "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
const CHANGED =
  "diff --git a/src/a b.ts b/src/a b.ts\n--- a/src/a b.ts\t\n+++ b/src/a b.ts\t\n@@ -1 +1 @@\n--- old\n+++ new\n";
const DELETED = "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
const RENAMED = "diff --git a/from.ts b/to.ts\nsimilarity index 100%\nrename from from.ts\nrename to to.ts\n";
const BINARY = "diff --git a/pic b/pic.png b/pic b/pic.png\nBinary files differ\n";

test("a diff is reported per file with its status, line counts and part of the diff", () => {
  expect(reportChanges(ADDED + CHANGED + DELETED + RENAMED + BINARY)).toEqual({
    type: "change_report",
    files: [
      { path: "new.txt", status: "added", added: 2, removed: 0, diff: ADDED },
      { path: "src/a b.ts", status: "modified", added: 1, removed: 1, diff: CHANGED },
      { path: "gone", status: "deleted", added: 0, removed: 1, diff: DELETED },
      { path: "to.ts", status: "renamed", added: 0, removed: 0, diff: RENAMED },
      { path: "pic b/pic.png", status: "modified", added: 0, removed: 0, diff: BINARY },
    ],
    truncatedCount: 0,
  });
  expect([reportChanges(""), reportChanges("nothing of the kind")]).toEqual([undefined, undefined]);
});

test("a report is bounded: a long diff is left out, files beyond the limit are counted", () => {
  const long = ADDED + `+${"x".repeat(FILE_DIFF_CHARS_MAX)}\n`;
  expect(reportChanges(long)?.files.map((file) => [file.path, file.diff])).toEqual([["new.txt", undefined]]);
  const many = reportChanges(Array.from({ length: FILES_MAX + 3 }, () => DELETED).join(""));
  expect([many?.files.length, many?.truncatedCount]).toEqual([FILES_MAX, 3]);
});

test("without a diff the file changes themselves are reported, each file once", () => {
  const add = { path: "/p/new.txt", kind: { type: "add" }, diff: "x\n" };
  const change = { path: "/p/new.txt", kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n-x\n+y\n" };
  const outside = { path: "/other/file", kind: { type: "delete" }, diff: "z\n" };
  expect(reportFileItems([add, change, outside], "/p")).toEqual({
    type: "change_report",
    files: [
      {
        path: "new.txt",
        status: "added",
        diff: "--- /dev/null\n+++ /p/new.txt\n@@ -0,0 +1,1 @@\n+x\n--- /p/new.txt\n+++ /p/new.txt\n@@ -1 +1 @@\n-x\n+y\n",
      },
      { path: "/other/file", status: "deleted", diff: "--- /other/file\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-z\n" },
    ],
    truncatedCount: 0,
  });
  expect(reportFileItems([], "/p")).toBeUndefined();
});
