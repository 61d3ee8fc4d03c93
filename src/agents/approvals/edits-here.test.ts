import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describePendingCall } from "./describe-call.ts";
import { editsHere } from "./edits-here.ts";

function project(): string {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-edits-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(path.join(directory, "src"));
  mkdirSync(path.join(directory, ".git"));
  writeFileSync(path.join(directory, "src/a.ts"), "");
  symlinkSync(tmpdir(), path.join(directory, "out"));
  symlinkSync(path.join(directory, ".git"), path.join(directory, "history"));
  symlinkSync(path.join(directory, "nowhere"), path.join(directory, "dangling"));
  return directory;
}

const own = (tool: string, name: string) =>
  JSON.stringify({ args: { path: name }, bound: { path: name, before: null }, cwd: "/x", member: "m", tool });

test("[S305] a change of files here is recognised for every agent", () => {
  const cwd = project();
  const isHere = (kind: "claude" | "openai", tool: string, call: object | string) =>
    editsHere(
      describePendingCall({ tool, call: typeof call === "string" ? call : JSON.stringify(call) }, { kind, cwd }),
    );
  const patch = { changes: [{ path: path.join(cwd, "src/a.ts"), kind: { type: "update", move_path: "src/c.ts" } }] };
  expect([
    isHere("claude", "Edit", { file_path: path.join(cwd, "src/a.ts"), old_string: "a" }),
    isHere("claude", "Write", { file_path: "src/new/b.ts", content: "" }),
    isHere("claude", "NotebookEdit", { notebook_path: "src/a.ts" }),
    isHere("claude", "apply_patch", patch),
    isHere("claude", "edit", { path: "src/a.ts", edits: [] }),
    isHere("claude", "edit", { title: "t", paths: ["src/a.ts", "b"], diff: "d" }),
    isHere("openai", "write", own("write", "src/a.ts")),
  ]).toEqual(Array(7).fill(true));
});

test("[S305] not counted: files outside, links or dots, files that govern agents or git, commands and other tools", () => {
  const cwd = project();
  const isHere = (tool: string, call: object | string, kind: "claude" | "openai" = "claude") =>
    editsHere(
      describePendingCall({ tool, call: typeof call === "string" ? call : JSON.stringify(call) }, { kind, cwd }),
    );
  const paths = ["/etc/passwd", "../x", "src/../../x", "out/x", "history/config", "dangling", ".", "", ".git/hooks/x"];
  const governing = [
    ".claude/settings.json",
    "src/.CLAUDE/x",
    ".codex/x",
    "a/.Git/config",
    ".roundtable/config.jsonc",
    ".mcp.json",
  ];
  expect([...paths, ...governing].filter((file_path) => isHere("Edit", { file_path }))).toEqual([]);
  const file_path = "src/a.ts";
  expect([
    isHere("apply_patch", { changes: [{ path: file_path }, { path: "../x" }] }),
    isHere("apply_patch", { changes: [{ path: file_path, kind: { move_path: "/etc/x" } }] }),
    isHere("apply_patch", { changes: [{ path: file_path }], grantRoot: "/" }),
    isHere("edit", { title: "t", paths: [file_path] }),
    isHere("delete", { path: file_path }),
    isHere("move", { path: file_path, to: "src/b.ts" }),
    isHere("Bash", "touch src/a.ts"),
    isHere("Bash", { command: "touch src/a.ts", file_path }),
    isHere("mcp__files__edit_file", { path: file_path }),
    isHere("Read", { file_path }),
    isHere("shell", own("shell", file_path), "openai"),
    isHere("write", own("write", "../x"), "openai"),
    isHere("write", own("write", ".git/config"), "openai"),
  ]).toEqual(Array(13).fill(false));
});
