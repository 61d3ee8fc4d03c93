import { expect, test } from "vitest";
import { canonicalCall, canonicalJson } from "./canonical-call.ts";
import { Permissions, type PermissionRule } from "./permissions.ts";
import { readTool } from "./read-tools.ts";
import type { Subject } from "./tool.ts";
import { writeTool } from "./write-tools.ts";

const shell = { ...writeTool, name: "shell" };
const path = (text: string): { subject: Subject; args: {} } => ({ subject: { kind: "path", text }, args: {} });
const command = (text: string): { subject: Subject; args: {} } => ({ subject: { kind: "command", text }, args: {} });

test("[A264] without a rule tools that look are allowed and those that change are asked for", () => {
  const none = new Permissions();
  expect([none.judge(readTool, path("a")), none.judge(writeTool, path("a"))]).toEqual(["allow", "ask"]);
});

test("[A264] a refusal wins over every rule, and of the others the last that fits decides", () => {
  const rules: PermissionRule[] = [
    { tool: "write", match: "secret/**", verdict: "deny" },
    { tool: "*", verdict: "allow" },
    { tool: "write", match: "src/*.lock", verdict: "ask" },
    { tool: "read", match: "private/*", verdict: "ask" },
  ];
  const permissions = new Permissions(rules);
  const judge = (name: string) => permissions.judge(writeTool, path(name));
  expect(["a.ts", "src/a.lock", "src/deep/a.lock", "secret/a", "secret/b/c"].map(judge)).toEqual([
    "allow",
    "ask",
    "allow",
    "deny",
    "deny",
  ]);
  expect(permissions.judge(readTool, path("private/x"))).toBe("ask");
});

test("[A264] a pattern that allows a command does not let through another one behind it", () => {
  const permissions = new Permissions([
    { tool: "shell", match: "git *", verdict: "allow" },
    { tool: "shell", match: "make && make test", verdict: "allow" },
  ]);
  const judge = (text: string) => permissions.judge(shell, command(text));
  expect(judge("git status")).toBe("allow");
  expect(judge("make && make test")).toBe("allow");
  for (const tail of ["; rm -rf .", " && id", " | sh", " $(id)", "`id`", "\nid", " > x", " < /etc/passwd", " & id"]) {
    expect([tail, judge(`git status${tail}`)]).toEqual([tail, "ask"]);
  }
});

test("[A263] what is allowed for the session is one file for any content, one command as it stands, and no more", () => {
  const permissions = new Permissions();
  permissions.remember(writeTool, path("a.txt"));
  permissions.remember(shell, command("ls"));
  expect([permissions.judge(writeTool, path("a.txt")), permissions.judge(writeTool, path("b.txt"))]).toEqual([
    "allow",
    "ask",
  ]);
  expect([permissions.judge(shell, command("ls")), permissions.judge(shell, command("ls -l"))]).toEqual([
    "allow",
    "ask",
  ]);
  expect(permissions.judge({ ...shell, name: "other" }, command("ls"))).toBe("ask");
});

test("[A263] a refusal by rule wins over what was allowed for the session", () => {
  const permissions = new Permissions([{ tool: "write", match: "a.txt", verdict: "deny" }]);
  permissions.remember(writeTool, path("a.txt"));
  expect(permissions.judge(writeTool, path("a.txt"))).toBe("deny");
});

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
