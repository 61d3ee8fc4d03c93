/** What a member cannot do, whatever its own settings say. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findProgram } from "../../../src/agents/process/launch/find-program.ts";
import { answerUntilEnd, grant, refuse } from "./answer-requests.ts";
import type { AgentName } from "./pins.ts";
import { livingProcesses, until } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import type { ServedSession } from "./served-session.ts";
import { pictureOf, prepareProject, writingCommands } from "./writing-commands.ts";

const GONE_MS = 5_000;

const codexOnly = (agent: AgentName) => (agent === "codex" ? undefined : "tried with Codex only");

/** The names of their shells, of those that are reached over ACP. */
const SHELLS: Readonly<Partial<Record<AgentName, string>>> = { gemini: "run_shell_command", opencode: "bash" };
const acpOnly = (agent: AgentName) => (agent in SHELLS ? undefined : "tried with Gemini CLI and opencode only");

function inSandbox(): string | undefined {
  return findProgram("bwrap", { PATH: process.env["PATH"] }).ok ? undefined : "bwrap is missing";
}

function guardOf(session: ServedSession): string | undefined {
  return session.all("member_guard").at(-1)?.guard;
}

/** By the name of its shell, which its model may not be offered at all. */
function shellCall(command: string, agent: AgentName): string {
  const shell = SHELLS[agent];
  if (shell === undefined) return `[[fake: tool command="${command}"]]`;
  const args = { command: command.replaceAll('\\"', '"'), description: "x" };
  return `[[fake: tool name=${shell} args=${JSON.stringify(args)}]]`;
}

async function tryToWrite(session: ServedSession, agent: AgentName, guard: string): Promise<string> {
  const before = pictureOf(session.project);
  const from = await session.send(writingCommands.map((command) => shellCall(command, agent)).join("\n"));
  const { end, asked } = await answerUntilEnd(session, from, grant);
  assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
  assert.equal(guardOf(session), guard);
  assert.match(session.textSince(from), new RegExp(`Done\\. ${writingCommands.length} tool step`));
  assert.deepEqual(pictureOf(session.project), before);
  // Inside of the sandbox those who ask are allowed, and only the wall is in their way.
  const isAsked = guard === "sandbox" && agent in SHELLS;
  assert.ok(isAsked ? asked.length >= writingCommands.length : asked.length === 0, `${asked.length} requests`);
  return `${writingCommands.length} commands without effect`;
}

/** Each is refused by the wall; some say so, some say nothing, some even report a success. */
const REFUSED_COMMANDS = ["touch new", "touch new 2>/dev/null", "touch new 2>/dev/null || true", "rm -f in.txt; ls"];

function writeCall(session: ServedSession, agent: AgentName): string {
  if (agent === "codex") {
    return '[[fake: tool name=apply_patch input="*** Begin Patch\\n*** Add File: new.txt\\n+x\\n*** End Patch\\n"]]';
  }
  return `[[fake: tool kind=write path="${path.join(session.project, "new.txt")}"]]`;
}

async function showsRefused(session: ServedSession, agent: AgentName): Promise<void> {
  const shown: unknown[] = [];
  const calls = [...REFUSED_COMMANDS.map((command) => shellCall(command, agent)), writeCall(session, agent)];
  for (const call of calls) {
    const from = await session.send(call);
    await answerUntilEnd(session, from, grant);
    shown.push(...session.all("tool_result", from).map(({ error, ok }) => error ?? ok));
  }
  // Some agents keep a call to themselves when they have no such tool.
  if (guardOf(session) === "sandbox") assert.ok(shown.length >= REFUSED_COMMANDS.length, `${shown.length} calls`);
  const denied = { code: "tool_denied", message: "this session is read-only" };
  assert.deepEqual(
    shown,
    shown.map(() => denied),
  );
  if (guardOf(session) !== "sandbox") return;
  const from = await session.send(shellCall("ls missing", agent));
  await answerUntilEnd(session, from, grant);
  assert.deepEqual(
    session.all("tool_result", from).map(({ error }) => error?.code),
    ["tool_error"],
  );
}

const refusedWrites: Scenario = {
  isAttack: true,
  name: "refused writes are shown as denied",
  notOffered: inSandbox,
  isReadOnly: true,
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: showsRefused,
};

const refusedWritesBare: Scenario = {
  ...refusedWrites,
  name: "refused writes without the sandbox",
  config: { sandbox: "off" },
};

const readOnly: Scenario = {
  isAttack: true,
  name: "read-only in the sandbox",
  notOffered: inSandbox,
  isReadOnly: true,
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: (session, agent) => tryToWrite(session, agent, "sandbox"),
};

const readOnlyBare: Scenario = {
  isAttack: true,
  name: "read-only without the sandbox",
  isReadOnly: true,
  config: { sandbox: "off" },
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: (session, agent) => tryToWrite(session, agent, "own_mode"),
};

/** May write, and nothing holds it back but that it asks: everything is asked about, and what is denied is not done. */
const asksFirst: Scenario = {
  isAttack: true,
  name: "asks first: nothing runs unasked",
  config: { sandbox: "off" },
  prepare: (home) => prepareProject(path.join(home, "project")),
  async run(session, agent) {
    const before = pictureOf(session.project);
    const calls = [...writingCommands.map((command) => shellCall(command, agent)), writeCall(session, agent)];
    for (const call of calls) {
      const from = await session.send(call);
      const { end, asked } = await answerUntilEnd(session, from, refuse);
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.equal(asked.length, 1, `${call}: ${asked.length} requests`);
      assert.deepEqual(pictureOf(session.project), before, `${call} was done`);
    }
    assert.equal(guardOf(session), "asks_first");
    const allowed = await touch(session, "allowed");
    assert.ok(allowed, "what is allowed was not done");
    return `${calls.length} requests, 0 effects`;
  },
};

/** Settings that let Codex act unasked when it is started by hand. */
function loosen(home: string): void {
  const project = path.join(home, "project");
  prepareProject(project);
  for (const folder of [path.join(home, ".codex"), path.join(project, ".codex")]) {
    mkdirSync(path.join(folder, "rules"), { recursive: true });
    writeFileSync(path.join(folder, "rules", "default.rules"), 'prefix_rule(pattern=["mkdir"], decision="allow")\n');
  }
  const file = path.join(home, ".codex", "config.toml");
  const loose = 'approval_policy = "never"\nsandbox_mode = "danger-full-access"\napprovals_reviewer = "auto_review"\n';
  const trusted = `\n[projects."${project}"]\ntrust_level = "trusted"\n`;
  writeFileSync(file, `${loose}${readFileSync(file, "utf8")}${trusted}`);
}

const denied: Scenario = {
  isAttack: true,
  name: "deny rule against its own settings",
  notOffered: (agent) => codexOnly(agent) ?? inSandbox(),
  config: { approvals: { deny: ["shell: mkdir *"] } },
  prepare: loosen,
  async run(session) {
    const settings = path.join(session.home, ".codex", "config.toml");
    const before = readFileSync(settings, "utf8");
    for (const command of ["mkdir made", "sh -c 'mkdir made'", "cd . && mkdir made"]) {
      const from = await session.send(`[[fake: tool command="${command}"]]`);
      const { end, asked } = await answerUntilEnd(session, from, grant);
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.ok(!existsSync(path.join(session.project, "made")), `${command} ran`);
      assert.deepEqual(asked, [], "it was asked about");
    }
    const from = await session.send('[[fake: tool command="touch asked"]]');
    const { asked } = await answerUntilEnd(session, from, refuse);
    assert.deepEqual([asked.length, existsSync(path.join(session.project, "asked"))], [1, false]);
    assert.equal(readFileSync(settings, "utf8"), before, "its configuration was written");
  },
};

const ALLOWED = { bash: "allow", edit: "allow", "*": "allow" };

/** Settings with which Gemini CLI and opencode act unasked. */
function permit(home: string): void {
  const project = path.join(home, "project");
  prepareProject(project);
  const files = {
    [path.join(home, ".gemini", "settings.json")]: {
      tools: { allowed: ["run_shell_command", "write_file"] },
      general: { defaultApprovalMode: "auto_edit" },
    },
    [path.join(home, ".config", "opencode", "opencode.json")]: { permission: ALLOWED },
    [path.join(project, "opencode.json")]: { permission: ALLOWED, agent: { build: { permission: ALLOWED } } },
  };
  for (const [file, settings] of Object.entries(files)) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(settings));
  }
}

const permitted: Scenario = {
  isAttack: true,
  name: "deny rule against permissive settings",
  notOffered: acpOnly,
  config: { sandbox: "off", approvals: { deny: ["shell: mkdir *", "edit: secret.txt"] } },
  prepare: permit,
  async run(session, agent) {
    const isThere = (name: string) => existsSync(path.join(session.project, name));
    const deniedCalls = ["mkdir made", "sh -c 'mkdir made'", "cd . && mkdir made"].map((one) => shellCall(one, agent));
    const write = (name: string) => `[[fake: tool kind=write path="${path.join(session.project, name)}"]]`;
    for (const call of [...deniedCalls, write("secret.txt")]) {
      const from = await session.send(call);
      const { end, asked } = await answerUntilEnd(session, from, grant);
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.deepEqual([isThere("made"), isThere("secret.txt")], [false, false], `${call} was done`);
      assert.deepEqual(asked, [], "it was asked about");
      assert.deepEqual(
        session.all("tool_result", from).map(({ error }) => error?.code),
        ["tool_denied"],
      );
    }
    for (const call of [shellCall("uniq in.txt README.md", agent), write("other.txt")]) {
      const from = await session.send(call);
      const { asked } = await answerUntilEnd(session, from, refuse);
      assert.equal(asked.length, 1, `${call} was not asked about`);
    }
    assert.equal(readFileSync(path.join(session.project, "README.md"), "utf8"), "read me\n");
    assert.equal(isThere("other.txt"), false);
    assert.equal(guardOf(session), "asks_first");
  },
};

const saysUnguarded: Scenario = {
  name: "unguarded by its own rules",
  notOffered: codexOnly,
  config: { sandbox: "off" },
  prepare: loosen,
  async run(session) {
    await session.run("hello");
    const { guard, detail } = session.all("member_guard").at(-1) ?? {};
    assert.equal(guard, "unguarded");
    assert.match(detail ?? "", /rules/);
  },
};

const background: Scenario = {
  name: "background command ends with a stop",
  notOffered: codexOnly,
  async run(session) {
    const left = () => livingProcesses(session).filter(({ command }) => command.endsWith("sleep 4242"));
    const from = await session.send('[[fake: tool command="sleep 4242"]]');
    const { end } = await answerUntilEnd(session, from, grant);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    if (left().length === 0) return "Codex left nothing running";
    await session.command({ type: "interrupt", scope: "all" });
    assert.deepEqual(await until(left, GONE_MS, (found) => found.length === 0), []);
    const next = await session.run("afterwards [[fake: echo]]");
    assert.equal(next.end.outcome, "completed");
    return undefined;
  },
};

const reason: Scenario = {
  name: "reason of a denial",
  async run(session, agent) {
    const from = await session.send('[[fake: tool command="npm install left-pad"]]');
    const { requestId } = await session.next("ui_request", { from });
    await session.command({ type: "answer", requestId, result: false, reason: "use pnpm here [[fake: echo]]" });
    const { end } = await session.answerTo(from);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    // It takes no message in mid-turn.
    if (agent === "gemini") await session.run("go on [[fake: echo]]");
    const arrives =
      agent === "codex" || agent in SHELLS
        ? /you said: .*The user denied .*npm install left-pad.*: use pnpm here/s
        : /last result: This was not run\. The user wrote: use pnpm here/;
    assert.match(session.textSince(from), arrives);
  },
};

async function touch(session: ServedSession, name: string): Promise<boolean> {
  const from = await session.send(`[[fake: tool command="touch ${name}"]]`);
  const { end } = await answerUntilEnd(session, from, grant);
  assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
  return existsSync(path.join(session.project, name));
}

const writable: Scenario = {
  name: "writable and back",
  isReadOnly: true,
  async run(session) {
    const made = [await touch(session, "one")];
    for (const [name, isWritable] of [
      ["two", true],
      ["three", false],
    ] as const) {
      await session.command({ type: "set_settings", settings: { writable: isWritable } });
      made.push(await touch(session, name));
    }
    assert.deepEqual(made, [false, true, false]);
    const { from } = await session.run("[[fake: echo]]");
    assert.match(session.textSince(from), /touch one.*touch two.*touch three/s);
    assert.equal(new Set(session.all("member_session").map((one) => one.nativeSessionId)).size, 1, "not one thread");
  },
};

const profiles: Scenario = {
  name: "two profiles at once",
  async run(session) {
    const reading = await session.another({ isWritable: false });
    const made = await Promise.all([touch(session, "written"), touch(reading, "not-written")]);
    assert.deepEqual(made, [true, false]);
  },
};

export const guardScenarios = {
  readOnly,
  readOnlyBare,
  refusedWrites,
  refusedWritesBare,
  asksFirst,
  denied,
  permitted,
  saysUnguarded,
  background,
  reason,
  writable,
  profiles,
};
