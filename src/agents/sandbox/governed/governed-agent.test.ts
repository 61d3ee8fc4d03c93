import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { patient } from "../../../../test/patience.ts";
import type { Agent, AgentEvent, AnswerResult, TurnInput } from "../../port.ts";
import { applyChange } from "./apply-change.ts";
import { createGovernedAgent } from "./governed-agent.ts";
import { GovernedWatch } from "./watch.ts";
import { whyNotStart } from "./workspace-checks.ts";

let cwd: string;
let quarantine: string;
beforeEach(() => {
  const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "governed-")));
  cwd = path.join(scratch, "work");
  quarantine = path.join(scratch, "quarantine");
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, "AGENTS.md"), "one\ntwo\n");
});

/** A scripted agent that emits events and records its answers. */
class PlayedAgent implements Agent {
  readonly capabilities = {
    keepsContext: true,
    tools: true,
    requests: true,
    images: true,
    steer: false,
    switchModel: false,
  };
  readonly answers: AnswerResult[] = [];
  up: (event: AgentEvent) => void = () => {};
  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.up = up;
  }
  send(): void {}
  interrupt(): void {}
  answer(_callId: string, result: AnswerResult): void {
    this.answers.push(result);
  }
  async close(): Promise<void> {}
}

async function open(guard: "sandbox" | "asks_first", watch = new GovernedWatch(cwd), name = "claude") {
  const inner = new PlayedAgent();
  const told: AgentEvent[] = [];
  const agent = createGovernedAgent({ agent: inner, spec: { name, kind: "claude" }, cwd, watch, quarantine });
  await agent.start((event) => told.push(event));
  agent.send({ kind: "turn", turnId: "t" } as TurnInput);
  inner.up({ type: "member_guard", guard });
  const ask = (input: object, tool = "Edit") =>
    inner.up({
      type: "request",
      callId: "c",
      nativeToolId: "n",
      request: {
        method: "approval",
        title: "Edit?",
        tool,
        call: JSON.stringify(input),
        callHash: "",
        options: [
          { label: "Allow once", value: "allow" },
          { label: "Deny", value: "deny" },
        ],
      },
    });
  const done = () => inner.up({ type: "turn_done", turnId: "t", outcome: "completed" });
  return { agent, inner, told, ask, done };
}

const YES = { result: "allow", error: null };
const EDIT = { file_path: "AGENTS.md", old_string: "two", new_string: "TWO" };

test("[B2] an approved change of a governed file is made by Roundtable, in place, and the agent is notified", async () => {
  const { agent, inner, told, ask } = await open("sandbox");
  const { ino } = statSync(path.join(cwd, "AGENTS.md"));
  ask(EDIT);
  agent.answer("c", YES);
  expect(readFileSync(path.join(cwd, "AGENTS.md"), "utf8")).toBe("one\nTWO\n");
  expect(statSync(path.join(cwd, "AGENTS.md")).ino).toBe(ino);
  expect(inner.answers).toMatchObject([{ result: false, error: null }]);
  expect(inner.answers[0]?.reason).toContain("has already made exactly this change to AGENTS.md");
  expect(told).toContainEqual({
    type: "tool_call_update",
    nativeId: "n",
    detail: "Allowed once, applied by Roundtable",
  });
  inner.up({ type: "tool_result", nativeId: "n", ok: false, error: { code: "tool_denied", message: "not run" } });
  expect(told.at(-1)).toEqual({
    type: "tool_result",
    nativeId: "n",
    ok: true,
    result: "Roundtable made this change to AGENTS.md.",
  });
});

test("a change that cannot be made exactly is denied with the reason, and nothing is changed", async () => {
  const { agent, inner, told, ask } = await open("sandbox");
  ask({ ...EDIT, old_string: "three" });
  agent.answer("c", YES);
  expect(inner.answers[0]).toMatchObject({ result: false });
  expect(inner.answers[0]?.reason).toContain("the text to replace occurs 0 times");
  expect(told).toContainEqual(
    expect.objectContaining({ detail: expect.stringMatching(/^Allowed, but not applied: /) as string }),
  );
  expect(readFileSync(path.join(cwd, "AGENTS.md"), "utf8")).toBe("one\ntwo\n");
});

test("denials, other files and members without a sandbox are passed through", async () => {
  const denied = { result: false, error: null, reason: "no" };
  const sandboxed = await open("sandbox");
  sandboxed.ask(EDIT);
  sandboxed.agent.answer("c", denied);
  sandboxed.ask({ ...EDIT, file_path: "src/a.ts" });
  sandboxed.agent.answer("c", YES);
  expect(sandboxed.inner.answers).toEqual([denied, YES]);
  const plain = await open("asks_first");
  plain.ask(EDIT);
  plain.agent.answer("c", YES);
  expect(plain.inner.answers).toEqual([YES]);
  expect(readFileSync(path.join(cwd, "AGENTS.md"), "utf8")).toBe("one\ntwo\n");
});

test("no link redirects the change: neither of the file nor of its directory, nor a hard link", () => {
  const outside = path.join(path.dirname(cwd), "outside");
  mkdirSync(outside);
  const canary = path.join(outside, ".bashrc");
  writeFileSync(canary, "kept\n");
  symlinkSync(outside, path.join(cwd, "sub"));
  symlinkSync(canary, path.join(cwd, ".bashrc"));
  linkSync(canary, path.join(cwd, ".zshrc"));
  const call = JSON.stringify({ file_path: "x", content: "taken\n" });
  const whys = [
    "sub/.bashrc",
    "sub/.profile",
    "sub/new/.profile",
    ".bashrc",
    ".zshrc",
    "../outside/.bashrc",
    canary,
  ].map((file) => applyChange({ cwd, file, call }));
  expect(whys.map((why) => why !== undefined)).toEqual([true, true, true, true, true, true, true]);
  expect(readFileSync(canary, "utf8")).toBe("kept\n");
  expect(readdirSync(outside)).toEqual([".bashrc"]);
});

test("[B3] a governed file that appears without approval is moved away with a warning that names the way back; an approved one stays", async () => {
  const { agent, told, ask, done } = await open("sandbox");
  ask({ file_path: ".github/workflows/ci.yml", content: "on: push\n" }, "Write");
  agent.answer("c", YES);
  expect(readFileSync(path.join(cwd, ".github", "workflows", "ci.yml"), "utf8")).toBe("on: push\n");
  writeFileSync(path.join(cwd, "CLAUDE.md"), "obey\n");
  mkdirSync(path.join(cwd, "sub", ".devcontainer"), { recursive: true });
  writeFileSync(path.join(cwd, "sub", ".devcontainer", "devcontainer.json"), "{}");
  mkdirSync(path.join(cwd, ".husky"));
  writeFileSync(path.join(cwd, "src.ts"), "");
  done();
  expect(readdirSync(cwd).sort()).toEqual([".github", ".husky", "AGENTS.md", "src.ts", "sub"]);
  expect(readdirSync(quarantine).length).toBe(2);
  const warnings = told.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  expect(warnings.length).toBe(2);
  const [, command] = /To restore it: (mv .+)$/.exec(warnings.find((one) => one.startsWith("CLAUDE.md")) ?? "") ?? [];
  execFileSync("/bin/sh", ["-c", command ?? "false"]);
  expect(readFileSync(path.join(cwd, "CLAUDE.md"), "utf8")).toBe("obey\n");
});

test("files of a member without a sandbox are left alone", async () => {
  const watch = new GovernedWatch(cwd);
  const sandboxed = await open("sandbox", watch, "claude");
  const plain = await open("asks_first", watch, "pi");
  writeFileSync(path.join(cwd, "CLAUDE.md"), "obey\n");
  plain.done();
  sandboxed.done();
  expect(existsSync(path.join(cwd, "CLAUDE.md"))).toBe(true);
});

const WAITING = { timeout: patient(5_000), interval: 5 };

test("[B3] it is removed while the call still runs, also in a new directory, and so is anything git would run", async () => {
  const { told } = await open("sandbox");
  const moved = () => told.flatMap((event) => (event.type === "warning" ? [event.message.split(" ")[0]] : []));
  writeFileSync(path.join(cwd, ".envrc"), "evil\n");
  await vi.waitFor(() => expect(moved()).toEqual([".envrc"]), WAITING);
  mkdirSync(path.join(cwd, "a", "b", ".devcontainer"), { recursive: true });
  writeFileSync(path.join(cwd, "a", "b", ".devcontainer", "devcontainer.json"), "{}");
  await vi.waitFor(() => expect(moved()).toContain("a/b/.devcontainer"), WAITING);
  renameSync(path.join(cwd, "a"), path.join(cwd, "c"));
  writeFileSync(path.join(cwd, "c", "b", "CLAUDE.md"), "evil\n");
  await vi.waitFor(() => expect(moved()).toContain("c/b/CLAUDE.md"), WAITING);
  execFileSync("git", ["init", "-q", path.join(cwd, "n")]);
  execFileSync("git", ["-C", path.join(cwd, "n"), "config", "core.fsmonitor", "evil"]);
  await vi.waitFor(() => expect(moved()).toContain("n/.git/config"), WAITING);
  writeFileSync(path.join(cwd, "n", ".git", "hooks", "post-merge"), "evil\n");
  await vi.waitFor(() => expect(moved()).toContain("n/.git/hooks"), WAITING);
  expect(readdirSync(cwd).toSorted()).toEqual(["AGENTS.md", "c", "n"]);
  expect(readFileSync(path.join(cwd, "n", ".git", "config"), "utf8")).not.toMatch(/evil/);
});

test("a clone is not disturbed: its governed files are moved away after the call", async () => {
  const source = path.join(path.dirname(cwd), "source");
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  mkdirSync(path.join(source, ".github", "workflows"), { recursive: true });
  for (const name of ["a.yml", "b.yml"]) writeFileSync(path.join(source, ".github", "workflows", name), "");
  writeFileSync(path.join(source, "zz"), "");
  git("init", "-q", source);
  git("-C", source, "add", ".");
  git("-C", source, "commit", "-qm", "one");
  const { inner, told } = await open("sandbox");
  git("clone", "-q", source, path.join(cwd, "n"));
  // Events come in order, so the clone has been seen when this is gone.
  writeFileSync(path.join(cwd, ".envrc"), "evil\n");
  await vi.waitFor(() => expect(existsSync(path.join(cwd, ".envrc"))).toBe(false), WAITING);
  expect(readdirSync(path.join(cwd, "n", ".github", "workflows"))).toEqual(["a.yml", "b.yml"]);
  inner.up({ type: "tool_result", nativeId: "n", ok: true });
  inner.up({ type: "turn_done", turnId: "t", outcome: "completed" });
  expect(readdirSync(path.join(cwd, "n")).toSorted()).toEqual([".git", "zz"]);
  expect(told.some((event) => event.type === "warning" && event.message.startsWith("n/.github "))).toBe(true);
});

test("no other member starts while a file cannot be moved away; the member itself does", async () => {
  const { done } = await open("sandbox");
  expect(whyNotStart(cwd, "pi")).toBeUndefined();
  // A quarantine cannot be created there.
  writeFileSync(quarantine, "");
  writeFileSync(path.join(cwd, "CLAUDE.md"), "evil\n");
  const why = "CLAUDE.md appeared without approval and could not be moved away.";
  expect([whyNotStart(cwd, "pi"), whyNotStart(path.dirname(cwd), "pi"), whyNotStart(cwd, "pi")]).toEqual([
    why,
    why,
    why,
  ]);
  expect(whyNotStart(cwd, "claude")).toBeUndefined();
  expect(whyNotStart(path.join(cwd, "..", "other"), "pi")).toBeUndefined();
  rmSync(quarantine);
  expect(whyNotStart(cwd, "pi")).toBeUndefined();
  expect(readdirSync(cwd)).toEqual(["AGENTS.md"]);
  done();
  writeFileSync(path.join(cwd, "CLAUDE.md"), "mine\n");
  expect(whyNotStart(cwd, "pi")).toBeUndefined();
  expect(readdirSync(cwd)).toContain("CLAUDE.md");
});
