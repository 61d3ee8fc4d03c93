import { expect, test } from "vitest";
import { coverKey, coversOf } from "./pending-call.ts";
import { describeCall } from "./describe-call.ts";

test("approval of a command in another directory is remembered for that directory only", () => {
  const coversFor = (call: string) => coversOf(describeCall({ tool: "shell", call }, "/p"));
  const elsewhere = coversFor('{"command":"git clean -f","cwd":"/etc"}');
  expect(elsewhere.map(({ kind }) => kind)).toEqual(["call"]);
  const remembered = new Set(elsewhere.map(coverKey));
  const isCovered = (call: string) => coversFor(call).every((cover) => remembered.has(coverKey(cover)));
  expect(isCovered('{"cwd":"/etc","command":"git clean -f"}')).toBe(true);
  expect(isCovered("git clean -f")).toBe(false);
  expect(isCovered('{"command":"git clean -f","cwd":"/home"}')).toBe(false);
});
