/** Writable sessions with a deny rule: however a denied command or a denied path is written, it has no effect. */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { describePendingCall, judgeCall, parseRule, type Rule } from "../../src/agents/index.ts";
import { asUser, hasBwrap, scratch } from "../agents/sandbox/inside.ts";
import { rounds } from "../rounds.ts";
import { scriptOf } from "./ground-files.ts";
import { deniedCommands, deniedPaths } from "./spellings.ts";

const rules = [
  parseRule("shell: rm *", "deny"),
  parseRule("edit: secret.txt", "deny"),
  parseRule("shell", "allow"),
].filter((rule): rule is Rule => rule !== undefined);

test(`${deniedCommands.length} spellings of a denied command: none is allowed by a rule that allows every command`, () => {
  expect(deniedCommands.length).toBeGreaterThanOrEqual(60);
  const allowed = deniedCommands.filter((line) => {
    const asked = describePendingCall(
      { tool: "bash", call: JSON.stringify({ command: line }) },
      { kind: "claude", cwd: "/w" },
    );
    return judgeCall(rules, asked)?.verdict === "allow";
  });
  expect(allowed).toEqual([]);
});

const isTried = (line: string, at: number) => at % rounds(10, 1) === 0 && !line.startsWith("busybox");

test("without a wall and a rule they do have their effect", () => {
  const failed = [
    ...deniedCommands.filter(isTried).map((line) => ({ line, name: "work/victim" })),
    ...deniedPaths.filter(isTried).map((line) => ({ line, name: "work/secret.txt" })),
  ].filter(({ line, name }) => {
    const { workspace, home, write } = scratch();
    for (const one of ["work/in.txt", "work/sub/file", "work/sub/secret.txt"]) write(one);
    const file = write(name, "secret\n");
    const { mode, mtimeMs, ino } = statSync(file);
    spawnSync("bash", ["-c", line], {
      ...asUser,
      cwd: workspace,
      env: { PATH: process.env["PATH"], HOME: home, TMPDIR: home },
    });
    const now = statSync(file, { throwIfNoEntry: false });
    return now?.mode === mode && now.mtimeMs === mtimeMs && now.ino === ino;
  });
  expect(failed.map(({ line }) => line)).toEqual([]);
});

describe.skipIf(!hasBwrap)("in the sandbox of a writable session", () => {
  test(`${deniedPaths.length} spellings of a denied path: the file stays as it is`, async () => {
    expect(deniedPaths.length).toBeGreaterThanOrEqual(40);
    const { workspace, write, run } = scratch();
    const secret = write("work/secret.txt", "secret\n");
    const before = statSync(secret);
    for (const name of ["work/in.txt", "work/sub/file", "work/sub/secret.txt"]) write(name);
    // One after the other, each in the directory as it is found then.
    const script = scriptOf(deniedPaths, { cwd: workspace, outside: path.dirname(workspace) });
    const ran = await run(script, { program: "/bin/bash", isWritable: true, denied: [secret] });
    expect(ran).toMatchObject({ kind: "ran", out: `tried ${deniedPaths.length}` });
    expect(readFileSync(secret, "utf8")).toBe("secret\n");
    const { ino, mode, mtimeMs, nlink } = statSync(secret);
    expect({ ino, mode, mtimeMs, nlink }).toEqual({
      ino: before.ino,
      mode: before.mode,
      mtimeMs: before.mtimeMs,
      nlink: 1,
    });
  });
});
