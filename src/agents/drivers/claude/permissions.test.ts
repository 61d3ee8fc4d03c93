import { expect, test } from "vitest";
import { approvalRequest } from "./permissions.ts";

test("a command that is written as JSON is shown inside of JSON, so that it is read as the command", () => {
  const callOf = (input: object) => approvalRequest({ tool_name: "Bash", input }).call;
  const command = '{"command":"git status","description":"$(id)"}';
  expect(callOf({ command, description: "look" })).toBe(JSON.stringify({ command }));
  expect(callOf({ command: "git status", description: "look" })).toBe("git status");
});
