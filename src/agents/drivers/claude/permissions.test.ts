import { expect, test } from "vitest";
import { describeRequest } from "../../../transcript/index.ts";
import { approvalRequest } from "./permissions.ts";

test("a command that looks like JSON is shown inside JSON, so that it reads as the command", () => {
  const callOf = (input: object) => approvalRequest({ tool_name: "Bash", input }).call;
  const command = '{"command":"git status","description":"$(id)"}';
  expect(callOf({ command, description: "look" })).toBe(JSON.stringify({ command }));
  expect(callOf({ command: "git status", description: "look" })).toBe("git status");
});

test("an edit too long for its diff is shown by its arguments, whole", () => {
  const edit = (content: string) => approvalRequest({ tool_name: "Write", input: { file_path: "a", content } });
  expect(edit("b").diff).toBe("--- a\n+++ a\n@@ -0,0 +1,1 @@\n+b");
  const request = edit(`${"b\n".repeat(40_000)}EVIL\n`);
  expect(request.diff).toBeUndefined();
  expect(describeRequest({ member: "m", request }).fields.map(({ text }) => text.endsWith("EVIL\n"))).toEqual([true]);
});

test("a text that the tool does not use cannot stand for the one it uses, nor a name for lines of the diff", () => {
  const edit = { file_path: "a", old_string: "b", new_string: "EVIL", content: "harmless" };
  const request = approvalRequest({ tool_name: "Edit", input: edit });
  expect(request.diff).toBeUndefined();
  const fields = describeRequest({ member: "m", request }).fields.map(({ name, text }) => `${name}: ${text}`);
  expect(fields).toEqual(["old_string: b", "new_string: EVIL", "content: harmless"]);
  const named = approvalRequest({ tool_name: "Write", input: { file_path: "a\n@@ -1 +1 @@\n+b", content: "c" } });
  expect(named.diff).toBe(
    String.raw`--- a\n@@ -1 +1 @@\n+b` + "\n" + String.raw`+++ a\n@@ -1 +1 @@\n+b` + "\n@@ -0,0 +1,1 @@\n+c",
  );
});
