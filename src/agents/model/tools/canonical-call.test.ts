import { expect, test } from "vitest";
import { canonicalJson } from "../../approvals/call-fields.ts";
import { canonicalCall, isTooDeep } from "./canonical-call.ts";
import { patient } from "../../../../test/patience.ts";

test("[A261] equal calls have equal hashes; another member, directory, argument or state is another call", () => {
  expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}');
  const base = { member: "m", cwd: "/x", tool: "write", args: { path: "a" }, bound: { before: null } };
  const others = [
    { member: "n" },
    { cwd: "/y" },
    { tool: "edit" },
    { args: { path: "b" } },
    { bound: { before: "1" } },
  ];
  const hashes = [base, ...others.map((other) => Object.assign({}, base, other))].map(
    (facts) => canonicalCall(facts).hash,
  );
  expect(new Set(hashes).size).toBe(6);
});

test("the nesting depth of arguments is measured in one pass, ignoring brackets in strings, also when truncated", () => {
  expect(isTooDeep(`${"[".repeat(64)}${"]".repeat(64)}`)).toBe(false);
  expect(isTooDeep("[".repeat(65))).toBe(true);
  expect(isTooDeep(`{"a":"${"[".repeat(100)}\\"${"{".repeat(100)}"}`)).toBe(false);
  expect(isTooDeep(`{"a":"\\\\","b":${"[".repeat(64)}`)).toBe(true);
  const cut = `{"a":"${String.raw`\"`.repeat(400_000)}`;
  const startMs = performance.now();
  expect(isTooDeep(cut)).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(patient(2_000));
});
