/** What a member cannot do, whatever its own settings say. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findProgram } from "../../../src/agents/process/launch/find-program.ts";
import { answerUntilEnd, grant, refuse } from "./answer-requests.ts";
import type { AgentName } from "./pins.ts";
import { livingProcesses, until } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import type { ServedTable } from "./served-table.ts";
import { pictureOf, prepareProject, writingCommands } from "./writing-commands.ts";

const GONE_MS = 5_000;

const codexOnly = (agent: AgentName) => (agent === "codex" ? undefined : "tried with Codex only");

/** The names of their shells, of those that are reached over ACP. */
const SHELLS: Readonly<Partial<Record<AgentName, string>>> = { gemini: "run_shell_command", opencode: "bash" };
const acpOnly = (agent: AgentName) => (agent in SHELLS ? undefined : "tried with Gemini CLI and opencode only");

function inSandbox(): string | undefined {
  return findProgram("bwrap", { PATH: process.env["PATH"] }).ok ? undefined : "bwrap is missing";
}

function guardOf(table: ServedTable): string | undefined {
  return table.all("member_guard").at(-1)?.guard;
}

/** By the name of its shell, which its model may not be offered at all. */
function shellCall(command: string, agent: AgentName): string {
  const shell = SHELLS[agent];
  if (shell === undefined) return `[[fake: tool command="${command}"]]`;
  const args = { command: command.replaceAll('\\"', '"'), description: "x" };
  return `[[fake: tool name=${shell} args=${JSON.stringify(args)}]]`;
}

async function tryToWrite(table: ServedTable, agent: AgentName, guard: string): Promise<string> {
  const before = pictureOf(table.project);
  const from = await table.say(writingCommands.map((command) => shellCall(command, agent)).join("\n"));
  const { end, asked } = await answerUntilEnd(table, from, grant);
  assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
  assert.equal(guardOf(table), guard);
  assert.match(table.saidSince(from), new RegExp(`Done\\. ${writingCommands.length} tool step`));
  assert.deepEqual(pictureOf(table.project), before);
  // Inside of the sandbox those who ask are allowed, and only the wall is in their way.
  const isAsked = guard === "sandbox" && agent in SHELLS;
  assert.ok(isAsked ? asked.length >= writingCommands.length : asked.length === 0, `${asked.length} requests`);
  return `${writingCommands.length} commands without effect`;
}

const readOnly: Scenario = {
  isAttack: true,
  name: "read-only in the sandbox",
  notOffered: inSandbox,
  isReadOnly: true,
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: (table, agent) => tryToWrite(table, agent, "sandbox"),
};

const readOnlyBare: Scenario = {
  isAttack: true,
  name: "read-only without the sandbox",
  isReadOnly: true,
  config: { sandbox: "off" },
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: (table, agent) => tryToWrite(table, agent, "own_mode"),
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
  async run(table) {
    const settings = path.join(table.home, ".codex", "config.toml");
    const before = readFileSync(settings, "utf8");
    for (const command of ["mkdir made", "sh -c 'mkdir made'", "cd . && mkdir made"]) {
      const from = await table.say(`[[fake: tool command="${command}"]]`);
      const { end, asked } = await answerUntilEnd(table, from, grant);
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.ok(!existsSync(path.join(table.project, "made")), `${command} ran`);
      assert.deepEqual(asked, [], "it was asked about");
    }
    const from = await table.say('[[fake: tool command="touch asked"]]');
    const { asked } = await answerUntilEnd(table, from, refuse);
    assert.deepEqual([asked.length, existsSync(path.join(table.project, "asked"))], [1, false]);
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
  async run(table, agent) {
    const isThere = (name: string) => existsSync(path.join(table.project, name));
    const deniedCalls = ["mkdir made", "sh -c 'mkdir made'", "cd . && mkdir made"].map((one) => shellCall(one, agent));
    const write = (name: string) => `[[fake: tool kind=write path="${path.join(table.project, name)}"]]`;
    for (const call of [...deniedCalls, write("secret.txt")]) {
      const from = await table.say(call);
      const { end, asked } = await answerUntilEnd(table, from, grant);
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.deepEqual([isThere("made"), isThere("secret.txt")], [false, false], `${call} was done`);
      assert.deepEqual(asked, [], "it was asked about");
      assert.deepEqual(
        table.all("tool_result", from).map(({ error }) => error?.code),
        ["tool_denied"],
      );
    }
    for (const call of [shellCall("uniq in.txt README.md", agent), write("other.txt")]) {
      const from = await table.say(call);
      const { asked } = await answerUntilEnd(table, from, refuse);
      assert.equal(asked.length, 1, `${call} was not asked about`);
    }
    assert.equal(readFileSync(path.join(table.project, "README.md"), "utf8"), "read me\n");
    assert.equal(isThere("other.txt"), false);
    assert.equal(guardOf(table), "asks_first");
  },
};

const saysUnguarded: Scenario = {
  name: "unguarded by its own rules",
  notOffered: codexOnly,
  config: { sandbox: "off" },
  prepare: loosen,
  async run(table) {
    await table.run("hello");
    const { guard, detail } = table.all("member_guard").at(-1) ?? {};
    assert.equal(guard, "unguarded");
    assert.match(detail ?? "", /rules/);
  },
};

const background: Scenario = {
  name: "background command ends with a stop",
  notOffered: codexOnly,
  async run(table) {
    const left = () => livingProcesses(table).filter(({ command }) => command.endsWith("sleep 4242"));
    const from = await table.say('[[fake: tool command="sleep 4242"]]');
    const { end } = await answerUntilEnd(table, from, grant);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    if (left().length === 0) return "Codex left nothing running";
    await table.command({ type: "interrupt", scope: "all" });
    assert.deepEqual(await until(left, GONE_MS, (found) => found.length === 0), []);
    const next = await table.run("afterwards [[fake: echo]]");
    assert.equal(next.end.outcome, "completed");
    return undefined;
  },
};

const reason: Scenario = {
  name: "reason of a denial",
  async run(table, agent) {
    const from = await table.say('[[fake: tool command="npm install left-pad"]]');
    const { requestId } = await table.next("ui_request", { from });
    await table.command({ type: "answer", requestId, result: false, reason: "use pnpm here [[fake: echo]]" });
    const { end } = await table.answerTo(from);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    // It takes no message in mid-turn.
    if (agent === "gemini") await table.run("go on [[fake: echo]]");
    const arrives =
      agent === "codex" || agent in SHELLS
        ? /you said: .*The user denied .*npm install left-pad.*: use pnpm here/s
        : /last result: This was not run\. The user says: use pnpm here/;
    assert.match(table.saidSince(from), arrives);
  },
};

async function touch(table: ServedTable, name: string): Promise<boolean> {
  const from = await table.say(`[[fake: tool command="touch ${name}"]]`);
  const { end } = await answerUntilEnd(table, from, grant);
  assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
  return existsSync(path.join(table.project, name));
}

const writable: Scenario = {
  name: "writable and back",
  isReadOnly: true,
  async run(table) {
    const made = [await touch(table, "one")];
    for (const [name, isWritable] of [
      ["two", true],
      ["three", false],
    ] as const) {
      await table.command({ type: "set_settings", settings: { writable: isWritable } });
      made.push(await touch(table, name));
    }
    assert.deepEqual(made, [false, true, false]);
    const { from } = await table.run("[[fake: echo]]");
    assert.match(table.saidSince(from), /touch one.*touch two.*touch three/s);
    assert.equal(new Set(table.all("member_session").map((one) => one.nativeSessionId)).size, 1, "not one thread");
  },
};

const profiles: Scenario = {
  name: "two profiles at once",
  async run(table) {
    const reading = await table.another({ isWritable: false });
    const made = await Promise.all([touch(table, "written"), touch(reading, "not-written")]);
    assert.deepEqual(made, [true, false]);
  },
};

export const guardScenarios = {
  readOnly,
  readOnlyBare,
  denied,
  permitted,
  saysUnguarded,
  background,
  reason,
  writable,
  profiles,
};
