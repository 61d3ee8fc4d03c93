import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeCall } from "./describe-call.ts";

function scratch(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-describe-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
const changed = (tool: string, ...paths: string[]) => ({
  tool,
  changesFiles: true,
  subjects: paths.map((text) => ({ kind: "path", text })),
  isWhole: true,
});
const ran = (tool: string, text: string) => ({
  tool,
  changesFiles: false,
  subjects: [{ kind: "command", text }],
  isWhole: true,
});

test("[A376] the same command is the same to rules, whichever agent wants to run it", () => {
  const own = JSON.stringify({
    args: { command: "git status", timeout_seconds: 5 },
    cwd: "/x",
    member: "m",
    tool: "shell",
  });
  const calls = [
    ["shell", own],
    ["shell", "/bin/bash -lc 'git status'"],
    ["Bash", "git status"],
    ["Bash", JSON.stringify({ command: "git status", description: "look", timeout: 5 })],
    ["bash", "git status"],
    ["execute", "git status"],
  ] as const;
  expect(calls.map(([tool, call]) => describeCall({ tool, call }, "/"))).toEqual(
    calls.map(([tool]) => ran(tool, "git status")),
  );
});

test("[A375] what stands beside a command and is not known makes the call one that cannot be allowed by it", () => {
  const call = JSON.stringify({ command: "git status", cwd: "/etc" });
  expect(describeCall({ tool: "Bash", call }, "/")).toEqual({
    tool: "Bash",
    changesFiles: false,
    subjects: [
      { kind: "command", text: "git status" },
      { kind: "call", text: '{"command":"git status","cwd":"/etc"}' },
    ],
    isWhole: false,
  });
  const foreign = JSON.stringify({ args: { command: "git status" }, cwd: "/x", member: "m", tool: "terminal" });
  expect(describeCall({ tool: "terminal", call: foreign }, "/").subjects).toEqual([
    { kind: "call", text: '{"command":"git status"}' },
  ]);
});

test("[A374] a changed file is its real place, from the session's directory, whichever agent changes it", () => {
  const cwd = scratch();
  const outside = scratch();
  mkdirSync(path.join(cwd, "src"));
  writeFileSync(path.join(cwd, "src/a.ts"), "");
  symlinkSync(outside, path.join(cwd, "src/out"));
  symlinkSync(path.join(outside, "nowhere"), path.join(cwd, "src/nowhere"));
  const edit = (file_path: string) =>
    describeCall({ tool: "Edit", call: JSON.stringify({ file_path, old_string: "a" }) }, cwd);
  expect(edit(path.join(cwd, "src/a.ts"))).toEqual(changed("Edit", "src/a.ts"));
  expect(edit("src/../src/new/b.ts")).toEqual(changed("Edit", "src/new/b.ts"));
  expect(edit("src/out/x")).toEqual(changed("Edit", path.join(outside, "x")));
  expect(edit("../x")).toEqual(changed("Edit", path.join(path.dirname(cwd), "x")));
  const partly = (tool: string, file: string, call: string) => ({
    ...changed(tool, file),
    subjects: [
      { kind: "path", text: file },
      { kind: "call", text: call },
    ],
    isWhole: false,
  });
  expect(edit("src/nowhere")).toEqual(partly("Edit", "src/nowhere", '{"file_path":"src/nowhere","old_string":"a"}'));
  const move = { tool: "move", call: '{"path":"src/a.ts","to":"/etc/x"}' };
  expect(describeCall(move, cwd)).toEqual(partly("move", "src/a.ts", '{"path":"src/a.ts","to":"/etc/x"}'));
  const patch = JSON.stringify({
    changes: [
      { path: path.join(cwd, "src/a.ts"), kind: { type: "update", move_path: "src/c.ts" }, diff: "" },
      { path: "b", kind: { type: "add" }, diff: "" },
    ],
  });
  expect(describeCall({ tool: "apply_patch", call: patch }, cwd)).toEqual(
    changed("apply_patch", "src/a.ts", "src/c.ts", "b"),
  );
  const grant = JSON.stringify({ changes: [{ path: "b" }], grantRoot: "/" });
  expect(describeCall({ tool: "apply_patch", call: grant }, cwd).isWhole).toBe(false);
  const own = JSON.stringify({
    args: { path: "x" },
    bound: { path: "real/x", before: null },
    cwd,
    member: "m",
    tool: "write",
  });
  expect(describeCall({ tool: "write", call: own }, cwd)).toEqual(changed("write", "real/x"));
});

test("[A375] anything else is exactly this call", () => {
  const one = { tool: "mcp__x__y", changesFiles: false, isWhole: true };
  expect(describeCall({ tool: "mcp__x__y", call: '{"b":1}' }, "/")).toEqual({
    ...one,
    subjects: [{ kind: "call", text: '{"b":1}' }],
  });
  expect(describeCall({ tool: "Edit", call: "{broken" }, "/").subjects).toEqual([{ kind: "call", text: "{broken" }]);
});
