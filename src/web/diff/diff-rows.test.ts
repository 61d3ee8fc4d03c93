import { expect, test } from "vitest";
import { diffRows, type DiffGap, type DiffRow } from "./diff-rows.ts";
import { splitPatch } from "./parse-patch.ts";

const shown = (item: DiffRow | DiffGap): string =>
  item.kind === "gap"
    ? `gap ${item.rows.length}+${item.unknown}`
    : `${item.oldNumber ?? ""} ${item.newNumber ?? ""} ${item.kind[0]} ${item.text} ${item.marks
        .map(([from, to]) => `[${item.text.slice(from, to)}]`)
        .join("")}`.trim();

test("lines have their numbers, changed lines their words; dashes inside a change are content", () => {
  const patch = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -3,4 +3,5 @@ f
 kept
--- removed dashes
-log.debug("bye");
+log.info("bye", since(start));
+++ added
+
 last
\\ No newline at end of file
`;
  expect(diffRows(patch).items.map(shown)).toEqual([
    "gap 0+2",
    "3 3 u kept",
    "4  r -- removed dashes",
    '5  r log.debug("bye"); [debug]',
    '4 a log.info("bye", since(start)); [info][, since(start][)]',
    "5 a ++ added",
    "6 a",
    "6 7 u last",
  ]);
  const word = diffRows(`@@ -1 +1 @@\n-log.debug("shutdown: bye");\n+log.info("shutdown: %d ms");\n`);
  expect(word.items.map(shown)).toEqual([
    '1  r log.debug("shutdown: bye"); [debug][bye]',
    '1 a log.info("shutdown: %d ms"); [info][%d ms]',
  ]);
  expect([word.oldText, word.newText]).toEqual(['log.debug("shutdown: bye");', 'log.info("shutdown: %d ms");']);
});

test("unchanged lines far from a change are folded, and can be unfolded", () => {
  const line = (at: number) => ` line ${at}\n`;
  const before = Array.from({ length: 20 }, (_, at) => line(at + 1)).join("");
  const after = Array.from({ length: 20 }, (_, at) => line(at + 22)).join("");
  const { items, newText } = diffRows(`@@ -1,41 +1,41 @@\n${before}-old\n+new\n${after}`);
  expect(items.map(shown)).toEqual([
    "gap 17+0",
    "18 18 u line 18",
    "19 19 u line 19",
    "20 20 u line 20",
    "21  r old",
    "21 a new",
    "22 22 u line 22",
    "23 23 u line 23",
    "24 24 u line 24",
    "gap 17+0",
  ]);
  expect(newText.split("\n")).toHaveLength(41);
});

test("several diffs of one file follow one another, and a cut one ends where it ends", () => {
  const one = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n same\n";
  expect(diffRows(one + one).items.map(shown)).toEqual([
    "1  r a",
    "1 a b",
    "2 2 u same",
    "1  r a",
    "1 a b",
    "2 2 u same",
  ]);
  expect(diffRows("@@ -1,9 +1,9 @@\n a\n-b\n").items.map(shown)).toEqual(["1 1 u a", "2  r b"]);
});

test("a hunk that counts wrong, or a diff without hunks, hides nothing; dashes alone are content", () => {
  const wrong = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n+evil\n--- not a file\n kept\n";
  expect(diffRows(wrong).items.map(shown)).toEqual(["1  r a", "1 a b", "2 a evil", "2  r -- not a file", "3 3 u kept"]);
  expect(diffRows("-old\n+new\nas it is").items.map(shown)).toEqual(["r old", "a new", "u as it is"]);
});

test("the diff of each file, by its path", () => {
  const patch = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\n--- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n";
  const files = splitPatch(patch);
  expect(files.map(({ path }) => path)).toEqual(["x.ts", "gone.md"]);
  expect(files.map((file) => file.patch).join("")).toBe(patch);
  expect(splitPatch("+a")).toEqual([{ path: "", patch: "+a" }]);
});

test("words are marked in the line that was changed, not in the one that happens to stand beside it", () => {
  const patch =
    "@@ -1,2 +1,3 @@\n-await releaseAll(leases);\n-await jobs.settled();\n+const done = await jobs.settled({ ms: 5 });\n+if (!done) warn();\n+await releaseAll(leases);\n";
  expect(diffRows(patch).items.map(shown)).toEqual([
    "1  r await releaseAll(leases);",
    "2  r await jobs.settled();",
    "1 a const done = await jobs.settled({ ms: 5 }); [const done = ][{ ms: 5 }]",
    "2 a if (!done) warn();",
    "3 a await releaseAll(leases);",
  ]);
});

test("a line that was moved has no marks, although one beside it shares words with it", () => {
  const patch =
    "@@ -1,2 +1,3 @@\n-await releaseAll(worker.leases);\n-await worker.inFlight.settled();\n+const done = await worker.drain(DRAIN_MS);\n+if (!done) warn();\n+await releaseAll(worker.leases);\n";
  expect(diffRows(patch).items.flatMap((item) => ("marks" in item ? item.marks : []))).toEqual([]);
});
