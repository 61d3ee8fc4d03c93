import { expect, test } from "vitest";
import type { AgentEvent } from "../../agents/index.ts";
import type { EventDraft, Json } from "../../protocol/index.ts";
import { startSession } from "../../../test/session/session-run.ts";
import type { Behaviour, Step } from "../../../test/session/scripted-agent.ts";
import { announcedPaths, createFileTouches, fileName } from "./file-touches.ts";
import { TOUCHES_REMEMBERED_MAX } from "../limits.ts";

const edits = (path: string, nativeId = path, ok = true): AgentEvent[] => [
  { type: "tool_call_start", nativeId, name: "edit", kind: "edit", args: { file_path: path } },
  { type: "tool_result", nativeId, ok, ...(ok ? {} : { error: { code: "tool_denied" as const, message: "refused" } }) },
];
const doing = (...steps: Step[]): Behaviour => ({ script: () => steps });

async function warningsOf(behaviours: Record<string, Behaviour>, { writable = true, ms = 200_000 } = {}) {
  const state = await startSession(behaviours, { settings: { writable, auto_rounds: 1 } });
  await state.send("go");
  await state.clock.advance(ms);
  return state.events("warning").filter((event) => event.code === "file_collision");
}

test("two members that change the same file within a minute cause a warning, however each names the file", async () => {
  const report: AgentEvent = {
    type: "change_report",
    files: [{ path: "src/a.ts", status: "modified" }],
    truncatedCount: 0,
  };
  const warnings = await warningsOf({
    ada: doing(...edits("/project/src/a.ts")),
    bob: doing({ wait: 59_000 }, report),
    cyd: doing(...edits("src/b.ts")),
  });
  expect(warnings).toMatchObject([
    {
      member: "bob",
      detail: "src/a.ts",
      message: "ada and bob both changed src/a.ts within a minute. One may have overwritten the other.",
    },
  ]);
});

test("a diff in a result counts as a change", async () => {
  const result: AgentEvent = {
    type: "tool_result",
    nativeId: "x",
    ok: true,
    diff: "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n",
  };
  const warnings = await warningsOf({
    ada: doing(...edits("./src/../src/a.ts")),
    bob: doing({ wait: 5 }, { type: "tool_call_start", nativeId: "x", name: "apply", args: null }, result),
  });
  expect(warnings).toHaveLength(1);
});

test("an announced change that was denied does not count", async () => {
  const announced: AgentEvent = { type: "tool_call_start", nativeId: "1", name: "edit", kind: "edit", args: null };
  const told: AgentEvent = { type: "tool_call_update", nativeId: "1", args: { path: "a" } };
  const refused = edits("a", "1", false).slice(1);
  expect(await warningsOf({ ada: doing(...edits("a", "1", false)), bob: doing(...edits("a", "1", false)) })).toEqual(
    [],
  );
  expect(await warningsOf({ ada: doing(announced, told, ...refused), bob: doing(...edits("a")) })).toEqual([]);
  const made: AgentEvent = { type: "tool_result", nativeId: "1", ok: true };
  expect(await warningsOf({ ada: doing(announced, told, made), bob: doing(...edits("a")) })).toHaveLength(1);
});

test("one warning per pair, file and minute; none later than a minute, for one member or in a read-only session", async () => {
  const again = await warningsOf({
    ada: doing(...edits("a", "1"), { wait: 30_000 }, ...edits("a", "2"), { wait: 50_000 }, ...edits("a", "3")),
    bob: doing({ wait: 1 }, ...edits("a", "1"), { wait: 1 }, ...edits("a", "2"), { wait: 80_000 }, ...edits("a", "3")),
    cyd: doing({ wait: 2 }, ...edits("a", "1")),
  });
  expect(again.map(({ message }) => message.split(" both ")[0])).toEqual([
    "ada and bob",
    "ada and cyd",
    "bob and cyd",
    "ada and bob",
  ]);
  expect(await warningsOf({ ada: doing(...edits("a")), bob: doing({ wait: 60_001 }, ...edits("a")) })).toEqual([]);
  expect(await warningsOf({ ada: doing(...edits("a", "1"), ...edits("a", "2")), bob: doing() })).toEqual([]);
  expect(await warningsOf({ ada: doing(...edits("a")), bob: doing(...edits("a")) }, { writable: false })).toEqual([]);
});

test("files are found under every agent's argument names, and reading is no change", () => {
  const call = (args: Json, kind: "edit" | "read" = "edit"): EventDraft => ({
    type: "tool_call_start",
    turnId: "t",
    member: "ada",
    toolCallId: "c",
    name: "x",
    kind,
    args,
  });
  expect(announcedPaths(call({ path: "a", file_path: "b" }))).toEqual(["a", "b"]);
  expect(announcedPaths(call({ changes: [{ path: "a" }, { path: "b", kind: "add" }, 3] }))).toEqual(["a", "b"]);
  expect(announcedPaths(call({ changes: { "src/a.ts": { type: "update" } } }))).toEqual(["src/a.ts"]);
  expect(announcedPaths(call({ edits: [{ old: "x" }], files: ["a", "a"] }))).toEqual(["a"]);
  for (const odd of [null, "a", ["a"], 3, { path: 3 }, { path: "" }]) expect(announcedPaths(call(odd))).toEqual([]);
  expect(announcedPaths(call({ path: "a" }, "read"))).toEqual([]);
  expect(fileName("/project", "/project/a/../b.ts")).toBe("b.ts");
  expect(fileName("/project", "/projects/b.ts")).toBe("/projects/b.ts");
  expect(fileName("C:\\work", "src\\a.ts")).toBe("src/a.ts");
});

test("the number of remembered changes is limited", () => {
  const touches = createFileTouches();
  for (let index = 0; index <= TOUCHES_REMEMBERED_MAX; index += 1) touches.touch(`f${index}`, "ada", index);
  expect(touches.touch("f0", "bob", 2_000)).toEqual([]);
  expect(touches.touch("f9", "bob", 2_000)).toEqual(["ada"]);
});
