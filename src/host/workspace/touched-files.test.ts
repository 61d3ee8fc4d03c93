import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty, fold, loadedMessages } from "../../transcript/index.ts";
import { editorsByPath, summarizeTouched, touchedBy } from "./touched-files.ts";

const DIFF = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1,2 @@\n-one\n+1\n+2\n";
const TWO = `diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y.ts b/y.ts\n--- /dev/null\n+++ b/y.ts\n@@ -0,0 +1 @@\n+y\n`;

let calls = 0;
function call(
  [turnId, member]: readonly [string, string],
  start: Pick<Extract<EventDraft, { type: "tool_call_start" }>, "name" | "args" | "kind">,
  result: Partial<Extract<EventDraft, { type: "tool_result" }>> = {},
): EventDraft[] {
  const ids = { turnId, member, toolCallId: `c${(calls += 1)}` };
  return [
    { type: "tool_call_start", ...ids, ...start },
    { type: "tool_result", ...ids, ok: true, ...result },
  ];
}

function touched(drafts: readonly EventDraft[]) {
  const beginning = [created({ cwd: "/project" }), joined("a"), joined("b"), said("m1", ["a", "b"])];
  const transcript = fold(empty("session"), stamped([...beginning, ...drafts]));
  return touchedBy([...loadedMessages(transcript)], ["/project", "/real/project"]);
}

test("reads and edits are counted by file and member; failed ones and files outside are not", () => {
  const [first, second] = [["t1", "a"] as const, ["t2", "b"] as const];
  const turns = touched([
    started("t1", "a"),
    ...call(first, { name: "read", kind: "read", args: { path: "src/a.ts" } }),
    ...call(first, { name: "read", kind: "read", args: { path: "./src/a.ts" } }),
    ...call(first, { name: "read", kind: "read", args: { file_path: "/etc/passwd" } }),
    ...call(first, { name: "read", kind: "read", args: { path: "../outside" } }),
    ...call(first, { name: "Edit", kind: "edit", args: { file_path: "/real/project/src/a.ts" } }, { diff: DIFF }),
    ...call(
      first,
      { name: "Edit", kind: "edit", args: { path: "no.ts" } },
      { ok: false, error: { code: "tool_denied", message: "no" } },
    ),
    ended("t1", "a"),
    started("t2", "b"),
    ...call(second, { name: "apply_patch", kind: "edit", args: { patch: "…" } }, { diff: TWO }),
    ...call(second, { name: "delete", args: { path: "/project/old.ts" } }),
    ended("t2", "b"),
  ]);
  expect(summarizeTouched(turns)).toEqual({
    files: [
      { path: "old.ts", members: [{ name: "b", reads: 0, edits: 1 }] },
      { path: "src/a.ts", members: [{ name: "a", reads: 1, edits: 1 }] },
      { path: "x.ts", members: [{ name: "b", reads: 0, edits: 1 }] },
      { path: "y.ts", members: [{ name: "b", reads: 0, edits: 1 }] },
    ],
    turns: [
      {
        turnId: "t2",
        member: "b",
        ts: expect.any(Number),
        files: [
          { path: "x.ts", status: "modified", added: 1, removed: 1 },
          { path: "y.ts", status: "added", added: 1, removed: 0 },
          { path: "old.ts", status: "deleted" },
        ],
      },
      {
        turnId: "t1",
        member: "a",
        ts: expect.any(Number),
        files: [{ path: "src/a.ts", status: "modified", added: 2, removed: 1 }],
      },
    ],
    truncated: false,
  });
  expect(turns.map(({ changes }) => changes.map(({ diffs }) => diffs.length))).toEqual([[1], [1, 1, 0]]);
  expect([...editorsByPath(turns)]).toContainEqual(["src/a.ts", ["a"]]);
});

test("a report at the end of a turn replaces the edits of its files", () => {
  const turns = touched([
    started("t1", "a"),
    ...call(["t1", "a"], { name: "edit", kind: "edit", args: { path: "src/a.ts" } }, { diff: DIFF }),
    ...call(["t1", "a"], { name: "edit", kind: "edit", args: { path: "b.ts" } }, { diff: DIFF }),
    {
      type: "change_report",
      turnId: "t1",
      files: [{ path: "/project/src/a.ts", status: "modified", added: 9, removed: 8, diff: "whole" }],
      truncatedCount: 0,
    },
    ended("t1", "a"),
  ]);
  expect(turns[0]?.changes).toEqual([
    { path: "b.ts", status: "modified", added: 2, removed: 1, diffs: [DIFF] },
    { path: "src/a.ts", status: "modified", added: 9, removed: 8, diffs: ["whole"] },
  ]);
});
