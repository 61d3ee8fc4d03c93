import { expect, test } from "vitest";
import { approvalRequest } from "./permissions.ts";

test("a command that looks like JSON is shown inside JSON, so that it reads as the command", () => {
  const callOf = (input: object) => approvalRequest({ tool_name: "Bash", input }).call;
  const command = '{"command":"git status","description":"$(id)"}';
  expect(callOf({ command, description: "look" })).toBe(JSON.stringify({ command }));
  expect(callOf({ command: "git status", description: "look" })).toBe("git status");
});
