/** Writes refused by a read-only session, with recorded events of real agents. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Step } from "../../../test/session/scripted-agent.ts";
import { startSession } from "../../../test/session/session-run.ts";
import type { Guard } from "../../protocol/index.ts";

type Of<Type> = Extract<Step, { type: Type }>;
type Start = Omit<Of<"tool_call_start">, "type" | "nativeId">;
type Update = Omit<Of<"tool_call_update">, "type" | "nativeId">;
type Result = Omit<Of<"tool_result">, "type" | "nativeId">;

const DENIED = { code: "tool_denied", message: "this session is read-only" };

let cwd = "";
let home = "";

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-refused-home-")));
  vi.stubEnv("HOME", home);
  cwd = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-refused-")));
  writeFileSync(path.join(cwd, "in.txt"), "a\n");
  mkdirSync(path.join(cwd, "sub"));
});
afterEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

interface Options {
  readonly guard?: Guard;
  readonly writable?: boolean;
  readonly update?: Update;
  /** Actual effect of the call. */
  readonly effect?: () => void;
}

async function shown(start: Start, result: Result, options: Options = {}) {
  const { guard = "sandbox", writable = false, update, effect } = options;
  const script: Step[] = [
    { type: "member_guard", guard },
    { type: "tool_call_start", nativeId: "n", ...start },
    ...(update === undefined ? [] : [{ type: "tool_call_update", nativeId: "n", ...update } as const]),
    { wait: 10 },
    { type: "tool_result", nativeId: "n", ...result },
  ];
  const state = await startSession({ ada: { script: () => script } }, { settings: { writable }, cwd });
  await state.send("go");
  effect?.();
  await state.clock.advance(10);
  const [end] = state.events("tool_result");
  return end?.error ?? end?.ok;
}

const shell = (command: string): Start => ({ name: "Bash", args: { command }, kind: "execute" });
const failed = (message: string, result?: string): Result => ({
  ok: false,
  error: { code: "tool_error", message },
  ...(result === undefined ? {} : { result }),
});

const SILENT = "touch new 2>/dev/null";

test.each<[string, Start, Result, Update?]>([
  ["Claude Code", { name: "Bash", args: {}, kind: "execute" }, failed("Exit code 1"), { args: { command: SILENT } }],
  [
    "Codex",
    { name: "shell", args: { command: `/usr/bin/bash -lc '${SILENT}'`, cwd: "" }, kind: "execute" },
    failed("exit code 1", ""),
  ],
  [
    "Pi",
    { name: "bash", args: { command: SILENT }, kind: "execute" },
    failed("(no output)\n\nCommand exited with code 1"),
  ],
  ["Gemini CLI", { name: "run_shell_command", args: {}, title: SILENT, kind: "execute" }, failed("exit code 1", "")],
  [
    "opencode",
    { name: "bash", args: {}, title: "bash", kind: "execute" },
    failed("exit code 1", ""),
    { args: { command: SILENT, description: "x" } },
  ],
  ["an agent that reports no exit code", shell(SILENT), { ok: true, result: "", isOutcomeKnown: false }],
])("a command of %s that could not write and says nothing is denied", async (_agent, start, result, update) => {
  expect(await shown(start, result, update === undefined ? {} : { update })).toEqual(DENIED);
});

test.each<[string, Start, Result, Guard]>([
  [
    "Claude Code",
    { name: "Write", args: { file_path: "new.txt" }, kind: "edit" },
    {
      ok: false,
      error: {
        code: "tool_denied",
        message:
          "PreToolUse:Write hook error: This session is read-only: files cannot be changed here. Answer from it.",
      },
    },
    "sandbox",
  ],
  [
    "Claude Code without a sandbox",
    shell("touch new"),
    {
      ok: false,
      error: { code: "tool_denied", message: "<tool_use_error>Error: No such tool available: Bash.</tool_use_error>" },
    },
    "own_mode",
  ],
  [
    "Codex",
    { name: "apply_patch", args: { changes: [{ path: "new.txt", kind: "add" }] }, kind: "edit" },
    { ok: false, error: { code: "tool_denied", message: "it was not allowed" } },
    "own_mode",
  ],
  [
    "Pi",
    { name: "write", args: { path: "new.txt" }, kind: "edit" },
    { ok: false, error: { code: "tool_denied", message: "Tool Write not found" } },
    "sandbox",
  ],
  [
    "opencode",
    { name: "Write", args: {}, title: "Write", kind: "edit" },
    failed("The arguments provided to the tool are invalid: Model tried to call unavailable tool 'Write'."),
    "sandbox",
  ],
  [
    "Gemini CLI",
    { name: "write_file", args: { paths: ["new.txt"] }, kind: "edit" },
    { ok: true, result: "" },
    "asks_first",
  ],
  [
    "a model server",
    { name: "write_file", args: { path: "new.txt" } },
    {
      ok: false,
      error: {
        code: "tool_denied",
        message: "This session is read-only: files cannot be changed and commands cannot be run.",
      },
    },
    "own_mode",
  ],
])("a change by %s that was not made is denied, in the same words", async (_agent, start, result, guard) => {
  expect(await shown(start, result, { guard })).toEqual(DENIED);
});

test.each([
  "touch new 2>/dev/null || true",
  "touch new 2>/dev/null; ls",
  "cd sub && touch new 2>/dev/null; true",
  "(touch new) 2>/dev/null; true",
  "{ echo x > new; } 2>/dev/null; true",
  "echo x | tee new 2>/dev/null | cat",
  "rm -f in.txt 2>/dev/null; true",
  "mkdir made 2>/dev/null || echo no",
  "cp in.txt copy 2>/dev/null || true",
  "mv in.txt moved 2>/dev/null || true",
  "sed -i s/a/b/ in.txt 2>/dev/null || true",
  "chmod 600 in.txt 2>/dev/null || true",
  "env LC_ALL=C touch new 2>/dev/null || true",
  `bash -c "touch 'new' 2>/dev/null || true"`,
  "echo x > new 2>/dev/null || true",
  "echo x >> in.txt || :",
  "dd if=in.txt of=copy 2>/dev/null || true",
  "truncate -s 0 in.txt 2>/dev/null; exit 0",
  "ln -s in.txt link 2>/dev/null || true",
  "install in.txt copy 2>/dev/null || true",
  "touch ~/new 2>/dev/null || true",
  "echo x >> ~/.bashrc || true",
])("a success that hides a refused write is denied: %s", async (line) => {
  expect(await shown(shell(line), { ok: true, result: "" })).toEqual(DENIED);
});

test("writes to the agent's state and to temporary directories do not count as refused", async () => {
  for (const line of ["touch ~/.claude/ide/x", "touch /tmp/rt-never-made", "echo x > /dev/null"]) {
    expect(await shown(shell(line), { ok: true, result: "" })).toBe(true);
  }
});

test("a write refused by the agent's own sandbox is denied; a script that is not executable has failed", async () => {
  const forbidden = failed("exit code 1", "touch: cannot touch 'new': Permission denied");
  expect(await shown(shell("touch new"), forbidden, { guard: "own_mode" })).toEqual(DENIED);
  writeFileSync(path.join(cwd, "run.sh"), "");
  expect(await shown(shell("./run.sh"), failed("exit code 126", "bash: ./run.sh: Permission denied"))).toMatchObject({
    code: "tool_error",
  });
});

test.each([
  ["what it does not write", "ls missing", "ls: cannot access 'missing': No such file or directory"],
  ["its own reasons", "cp missing copy", "cp: cannot stat 'missing': No such file or directory"],
  ["a part that was not reached", "test -f missing && touch new", ""],
  ["a directory that is not there", "touch nowhere/new 2>/dev/null", ""],
  ["what lies elsewhere", "touch /nowhere/new 2>/dev/null", ""],
  ["a wrong option", "touch --wrong new", "touch: unrecognized option '--wrong'"],
])("a command that failed for %s has failed", async (_why, line, output) => {
  expect(await shown(shell(line), failed("exit code 1", output))).toMatchObject({ code: "tool_error" });
});

test.each(["rm -f missing", "mkdir -p sub", "cat in.txt", "git status", "test -d sub || mkdir sub"])(
  "a success without a change stays a success: %s",
  async (line) => {
    expect(await shown(shell(line), { ok: true, result: "" })).toBe(true);
  },
);

test("a file that nobody could write was not refused by the session", async () => {
  chmodSync(path.join(cwd, "in.txt"), 0o400);
  chmodSync(cwd, 0o500);
  const result = await shown(shell("touch new 2>/dev/null"), failed("exit code 1", ""));
  chmodSync(cwd, 0o700);
  // Root may write everything.
  if (process.getuid?.() === 0) expect(result).toEqual(DENIED);
  else expect(result).toMatchObject({ code: "tool_error" });
});

test("an actual change is shown as reported, and so are calls of unguarded members", async () => {
  const edit: Start = { name: "Write", args: { file_path: "new.txt" }, kind: "edit" };
  const effect = () => writeFileSync(path.join(cwd, "new.txt"), "x");
  expect(await shown(edit, { ok: true, result: "written" }, { effect, guard: "asks_first" })).toBe(true);
  rmSync(path.join(cwd, "new.txt"));
  expect(await shown(shell(SILENT), failed("exit code 1", ""), { guard: "unguarded" })).toMatchObject({
    code: "tool_error",
  });
  expect(await shown(shell(SILENT), failed("exit code 1", ""), { writable: true })).toMatchObject({
    code: "tool_error",
  });
});

test("a rule that denied a call keeps its name", async () => {
  const message = "A user rule denies this (deny edit: new.txt). Go on without it.";
  const edit: Start = { name: "Write", args: { file_path: "new.txt" }, kind: "edit" };
  expect(await shown(edit, { ok: false, error: { code: "tool_denied", message } })).toEqual({
    code: "tool_denied",
    message,
  });
});

const REFUSED = "touch: cannot touch 'new': Read-only file system";

test.each([
  ["a script", "./gen.sh", REFUSED],
  ["a build", "make 2>&1 | tail -20", "/bin/sh: 1: cannot create new: Read-only file system"],
  ["Python", "python3 gen.py; echo done", "OSError: [Errno 30] Read-only file system: 'sub/new'"],
  ["Node.js", "node gen.js || true", "Error: EROFS: read-only file system, open 'new'"],
  ["Go", "./gen", "2026/01/01 open new: read-only file system"],
  ["Rust", "./gen", "Error: Read-only file system (os error 30)"],
  ["git in a script", "sh commit.sh", "fatal: Unable to create '.git-lock': Read-only file system"],
  ["a redirection beside a file that is shown", "cat in.txt > new || true", "bash: line 1: new: Read-only file system"],
  ["a script under the agent's own sandbox", "./gen.sh", "touch: cannot touch 'new': Permission denied"],
])("a success whose output shows a refused write by %s is denied", async (_what, line, output) => {
  expect(await shown(shell(line), { ok: true, result: `one\n${output}\ntwo` })).toEqual(DENIED);
});

test.each([
  ["a file that is shown", "cat log.txt", REFUSED],
  ["a search", "grep -n Read-only log.txt", REFUSED],
  ["a search everywhere", "grep -rn Read-only .", `log.txt:1:${REFUSED}`],
  ["a search by git", "git log -p | head -50", `+${REFUSED}`],
  ["a program that is given the file", "python3 show.py log.txt", REFUSED],
  ["a script that has the words in it", "sh words.sh", REFUSED],
  ["the line itself", `echo "${REFUSED}"`, REFUSED],
  ["another machine", "node test.js", "Error: EROFS: read-only file system, open '/mnt/other/new'"],
  ["a file that nobody asked for", "npm test", "npm warn EROFS: read-only file system, mkdir '.npm-logs'"],
  ["a path outside", "npm ls", "Error: EROFS: read-only file system, mkdir '/tmp/.npm'"],
  ["a script that is not executable", "make", "/bin/sh: 1: ./in.txt: Permission denied"],
  ["a file that the line does not name", "./report", REFUSED],
  ["a deeper one", "npm run report", "mv: cannot move 'a' to 'b': Read-only file system"],
])("a success with such text from %s stays a success", async (_what, line, output) => {
  writeFileSync(path.join(cwd, "log.txt"), `${REFUSED}\n`);
  writeFileSync(path.join(cwd, "words.sh"), `echo "${REFUSED}"\n`);
  writeFileSync(path.join(cwd, "sub", "old"), "mv: cannot move 'a' to 'b': Read-only file system\n");
  expect(await shown(shell(line), { ok: true, result: `one\n${output}\ntwo` })).toBe(true);
});

test("a failure counts as denied when its text names an existing path, or none", async () => {
  const of = (line: string, output: string) => shown(shell(line), failed("exit code 1", output));
  expect(await of("./gen", "Error: Read-only file system (os error 30)")).toEqual(DENIED);
  expect(await of("npm test", "Error: EROFS: read-only file system, mkdir '/usr/x'")).toEqual(DENIED);
  expect(await of("npm test", "EROFS: read-only file system, open '/mock/x/y'")).toMatchObject({ code: "tool_error" });
  writeFileSync(path.join(cwd, "log.txt"), `${REFUSED}\n`);
  expect(await of("cat log.txt missing", REFUSED)).toMatchObject({ code: "tool_error" });
});
