import { expect, test } from "vitest";
import { planChange } from "./apply-change.ts";

const call = (fields: object) => JSON.stringify(fields);
const BEFORE = "one\ntwo\nthree\n";

test("a written file, an edit and several edits are applied as the call says", () => {
  expect(planChange({ call: call({ file_path: "AGENTS.md", content: "new" }) }, BEFORE)).toEqual({ text: "new" });
  const edit = { file_path: "AGENTS.md", old_string: "tw", new_string: "TW" };
  expect(planChange({ call: call(edit) }, BEFORE)).toEqual({ text: "one\nTWo\nthree\n" });
  const edits = [
    { oldText: "one", newText: "1" },
    { oldText: "1\n", newText: "" },
  ];
  expect(planChange({ call: call({ path: "AGENTS.md", edits }) }, BEFORE)).toEqual({ text: "two\nthree\n" });
  const everywhere = { file_path: "a", old_string: "e", new_string: "E", replace_all: true };
  expect(planChange({ call: call(everywhere) }, BEFORE)).toEqual({ text: "onE\ntwo\nthrEE\n" });
});

test("an edit whose text is missing or ambiguous is not made", () => {
  const why = (old: string) => planChange({ call: call({ file_path: "a", old_string: old, new_string: "x" }) }, BEFORE);
  expect(why("four")).toEqual({ why: "the text to replace occurs 0 times" });
  expect(why("e")).toEqual({ why: "the text to replace occurs 3 times" });
  expect(why("")).toEqual({ why: "the file is not empty" });
  expect(planChange({ call: call({ command: "rm AGENTS.md" }) }, BEFORE)).toHaveProperty("why");
});

const codex = (type: string, diff: string, more: object = {}) =>
  call({ changes: [{ path: "AGENTS.md", kind: { type, ...more }, diff }] });

test("Codex's changes are applied from their diff, but not moves, deletions or several files", () => {
  const diff = "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+2.5\n";
  expect(planChange({ call: codex("update", diff) }, BEFORE)).toEqual({ text: "one\n2\n2.5\nthree\n" });
  expect(planChange({ call: codex("add", "hello\n") }, undefined)).toEqual({ text: "hello\n" });
  expect(planChange({ call: codex("add", "hello\n") }, BEFORE)).toHaveProperty("why");
  expect(planChange({ call: codex("delete", "") }, BEFORE)).toHaveProperty("why");
  expect(planChange({ call: codex("update", diff, { move_path: "b" }) }, BEFORE)).toHaveProperty("why");
  const two = JSON.parse(codex("update", diff)) as { changes: object[] };
  expect(planChange({ call: call({ changes: [...two.changes, ...two.changes] }) }, BEFORE)).toHaveProperty("why");
});

test("a diff is applied only where all of its lines match the file", () => {
  const shown = (diff: string, before = BEFORE) => planChange({ call: "{}", diff }, before);
  const head = "--- AGENTS.md\n+++ AGENTS.md\n";
  expect(shown(`${head}@@ -2,1 +2,1 @@\n-two\n+TWO\n`)).toEqual({ text: "one\nTWO\nthree\n" });
  // Lines counted in a piece of the file: the only place that fits.
  expect(shown(`${head}@@ -1,2 +1,2 @@\n two\n-three\n+3\n`)).toEqual({ text: "one\ntwo\n3\n" });
  expect(planChange({ call: "{}", diff: `${head}@@ -0,0 +1,1 @@\n+hi\n` }, undefined)).toEqual({ text: "hi\n" });
  expect(shown(`${head}@@ -3,1 +3,1 @@\n-three\n+3\n\\ No newline at end of file\n`)).toEqual({ text: "one\ntwo\n3" });
  expect(shown(`${head}@@ -2,1 +2,1 @@\n--- two\n+x\n`, "a\n-- two\nb\n")).toEqual({ text: "a\nx\nb\n" });
  for (const wrong of [
    `${head}@@ -2,1 +2,1 @@\n-TWO\n+2\n`,
    `${head}@@ @@\n-two\n+2\n`,
    `${head}@@ -1,3 +1,1 @@\n-one\n`,
    `${head}@@ -2,1 +2,1 @@\n-two\n+2\n${head}@@ -1,1 +1,1 @@\n-one\n+1\n`,
    `${head}@@ -2,1 +2,1 @@\n-two\n+2\n(diff truncated; 70000 characters in total)`,
    head,
  ]) {
    expect(shown(wrong)).toHaveProperty("why");
  }
  expect(shown(`${head}@@ -9,1 +9,1 @@\n-x\n+y\n`, "x\nx\n")).toHaveProperty("why");
});
