import { expect, test } from "vitest";
import type { OpenRequest } from "../../../src/transcript/index.ts";
import { permissionAnswer, permissionRequest } from "./permissions.ts";

const approval = {
  method: "approval" as const,
  title: "Run it?",
  tool: "shell",
  call: "echo ```",
  callHash: "0",
  diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
  options: [
    { label: "Once", value: "once" },
    { label: "For this session", value: "table_session" },
    { label: "Every file here", value: "table_session_edits" },
    { label: "Never", value: "x", description: "reject_always" },
  ],
};
const open: OpenRequest & { request: typeof approval } = {
  requestId: "r1",
  member: "ada",
  seq: 1,
  ts: 1,
  request: approval,
  timeoutMs: 1000,
  default: false,
};

test("an approval shows the exact call in a fence it cannot close, the diff, and what each choice does", () => {
  expect(permissionRequest("s", open, "/w")).toStrictEqual({
    sessionId: "s",
    toolCall: {
      toolCallId: "r1",
      title: "ada: Run it?",
      kind: "edit",
      status: "pending",
      content: [
        { type: "content", content: { type: "text", text: "````\necho ```\n````" } },
        { type: "diff", path: "/w/x", oldText: "a", newText: "b" },
      ],
      rawInput: { tool: "shell", call: "echo ```" },
    },
    options: [
      { optionId: "once", name: "Once", kind: "allow_once" },
      { optionId: "table_session", name: "For this session", kind: "allow_always" },
      { optionId: "table_session_edits", name: "Every file here", kind: "allow_always" },
      { optionId: "x", name: "Never", kind: "reject_always" },
    ],
  });
});

test("an approval without a diff is one of a command", () => {
  const { diff: _diff, ...command } = approval;
  expect(permissionRequest("s", { ...open, request: command }, "/w").toolCall.kind).toBe("execute");
});

test("an answer that was not offered, or none, is the safe default", () => {
  expect(permissionAnswer(approval, { outcome: "selected", optionId: "once" })).toBe("once");
  expect(permissionAnswer(approval, { outcome: "selected", optionId: "table_always" })).toBe(false);
  expect(permissionAnswer(approval, { outcome: "cancelled" })).toBe(false);
  const select = { method: "select" as const, title: "Which?", options: [{ label: "A", value: "a" }] };
  const asked = permissionRequest("s", { ...open, request: select }, "/w");
  expect(asked.options.map((option) => option.kind)).toStrictEqual(["allow_once", "reject_once"]);
  expect(permissionAnswer(select, { outcome: "selected", optionId: asked.options[1]?.optionId ?? "" })).toBeNull();
  const confirm = { method: "confirm" as const, title: "Go?", message: "on" };
  expect(permissionAnswer(confirm, { outcome: "selected", optionId: "yes" })).toBe(true);
  expect(permissionAnswer(confirm, { outcome: "selected", optionId: "no" })).toBe(false);
});
