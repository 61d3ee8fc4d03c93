import { expect, test } from "vitest";
import { nameInDiff, readDiff } from "./read-diff.ts";

const shown = (diff: string): string[] =>
  readDiff(diff).map((line) => {
    if (line.kind === "file") return `file ${nameInDiff(line)}`;
    return line.kind === "hunk" ? `hunk ${line.oldStart ?? "?"}` : `${line.kind} ${line.text}`;
  });

test("a line of a file that looks like a header is content", () => {
  const sql = "--- a/x.sql\n+++ b/x.sql\n@@ -3,3 +3,2 @@\n keep\n--- no comment\n-old\n+++ i, evil();\n";
  const content = ["unchanged keep", "removed -- no comment", "removed old", "added ++ i, evil();"];
  expect(shown(sql)).toEqual(["file x.sql", "hunk 3", ...content]);
  expect(shown(sql.replace("@@ -3,3 +3,2 @@", "@@ @@"))).toEqual(["file x.sql", "hunk ?", ...content]);
});

test("a pair of lines that look like the names of another file is content", () => {
  for (const hunk of ["@@ -1 +1,2 @@", "@@ @@"]) {
    const diff = `--- a\n+++ a\n${hunk}\n--- b\n+++ b\tevil();\n+more`;
    expect(shown(diff).slice(2)).toEqual(["removed -- b", "added ++ b\tevil();", "added more"]);
  }
});

test("further files follow a counted hunk; what stands outside of hunks is content, without git's own lines", () => {
  const one =
    "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n";
  const gone = "--- a/gone\t2026-01-02 03:04:05 +0000\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n";
  expect(shown(one + gone)).toEqual(["file x", "hunk 1", "removed a", "added b", "file gone", "hunk 1", "removed c"]);
  expect(shown("--- /dev/null\n+++ x\n+a\n(diff truncated)")).toEqual([
    "file x",
    "added a",
    "unchanged (diff truncated)",
  ]);
  expect(shown("@@ @@\n-a\n@@ @@\n+b\ndiff --git a/y b/y\n--- y\n+++ y\n+c")).toEqual([
    "hunk ?",
    "removed a",
    "hunk ?",
    "added b",
    "file y",
    "added c",
  ]);
});
