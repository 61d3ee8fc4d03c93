import { expect, test } from "vitest";
import { canonicalJson } from "../../approvals/canonical-json.ts";
import { canonicalCall } from "./canonical-call.ts";

test("[A261] one call has one spelling, and another member, directory, argument or state is another call", () => {
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
