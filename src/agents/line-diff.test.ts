import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { diffLines } from "./line-diff.ts";

test("a diff is unified, with three lines around each change", () => {
  const before = Array.from({ length: 12 }, (_, at) => `${at + 1}\n`).join("");
  const after = before.replace("2\n", "two\n").replace("11\n", "");
  expect(diffLines("a.txt", before, after)).toEqual({
    text: "--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -8,5 +8,4 @@\n 8\n 9\n 10\n-11\n 12\n",
    added: 1,
    removed: 2,
  });
});

test("new files, deleted files and a missing last newline are written as patch expects", () => {
  expect(diffLines("a", undefined, "x\ny").text).toBe(
    "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n",
  );
  expect(diffLines("a", "x\n", undefined).text).toBe("--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
  expect(diffLines("a", "x", "x\n").text).toBe("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
  expect(diffLines("a", "x\n", "x\n")).toEqual({ text: "", added: 0, removed: 0 });
});

test("for any two texts the diff turns one into the other", () => {
  const lines = array(constantFrom("a\n", "b\n", "c\n", "d\n"), { maxLength: 40 });
  assert(
    property(lines, lines, (before, after) => {
      const { text, added, removed } = diffLines("f", before.join(""), after.join(""));
      expect(apply(before, text)).toEqual(after);
      expect(after.length - before.length).toBe(added - removed);
    }),
  );
});

test("texts with nothing in common take bounded time", () => {
  const many = (mark: string) => Array.from({ length: 20_000 }, (_, at) => `${mark}${at}\n`).join("");
  const { added, removed } = diffLines("f", many("a"), many("b"));
  expect([added, removed]).toEqual([20_000, 20_000]);
});

/** Like `patch`, for lines that all end in a newline. */
function apply(before: readonly string[], diff: string): string[] {
  const out: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(2, -1)) {
    const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (head !== null) {
      const from = Number(head[1]) - (head[2] === "0" ? 0 : 1);
      while (at < from) out.push(before[at++] ?? "");
    } else if (line.startsWith("+")) out.push(`${line.slice(1)}\n`);
    else {
      expect(`${line.slice(1)}\n`).toBe(before[at]);
      if (line.startsWith(" ")) out.push(before[at] ?? "");
      at++;
    }
  }
  return [...out, ...before.slice(at)];
}

test("files with any number of lines can be compared", () => {
  const lines = (word: string) => `${word}\n`.repeat(130_000);
  expect(diffLines("a", lines("x"), lines("y"))).toMatchObject({ added: 130_000, removed: 130_000 });
});
