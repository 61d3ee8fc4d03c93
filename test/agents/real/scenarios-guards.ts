/** What a member cannot do, whatever its own settings say. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findProgram } from "../../../src/agents/process/find-program.ts";
import { answerUntilEnd, grant, refuse } from "./answer-requests.ts";
import type { AgentName } from "./pins.ts";
import { livingProcesses, until } from "./processes.ts";
import type { Scenario } from "./scenario.ts";
import type { ServedTable } from "./served-table.ts";
import { pictureOf, prepareProject, writingCommands } from "./writing-commands.ts";

const GONE_MS = 5_000;

const codexOnly = (agent: AgentName) => (agent === "codex" ? undefined : "tried with Codex only");

const GUARDED: ReadonlySet<AgentName> = new Set(["claude", "codex", "pi"]);
const guarded = (agent: AgentName) => (GUARDED.has(agent) ? undefined : "not tried");

function inSandbox(agent: AgentName): string | undefined {
  const isThere = findProgram("bwrap", { PATH: process.env["PATH"] }).ok;
  return guarded(agent) ?? (isThere ? undefined : "bwrap is missing");
}

function guardOf(table: ServedTable): string | undefined {
  return table.all("member_guard").at(-1)?.guard;
}

async function tryToWrite(table: ServedTable, guard: string): Promise<string> {
  const before = pictureOf(table.project);
  const calls = writingCommands.map((command) => `[[fake: tool command="${command}"]]`);
  const { end, from } = await table.run(calls.join("\n"));
  assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
  assert.equal(guardOf(table), guard);
  assert.match(table.saidSince(from), new RegExp(`Done\\. ${writingCommands.length} tool step`));
  assert.deepEqual(pictureOf(table.project), before);
  assert.deepEqual(table.all("ui_request", from), []);
  return `${writingCommands.length} commands without effect`;
}

const readOnly: Scenario = {
  isAttack: true,
  name: "read-only in the sandbox",
  notOffered: inSandbox,
  isReadOnly: true,
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: (table) => tryToWrite(table, "sandbox"),
};

const readOnlyBare: Scenario = {
  isAttack: true,
  name: "read-only without the sandbox",
  notOffered: guarded,
  isReadOnly: true,
  config: { sandbox: "off" },
  prepare: (home) => prepareProject(path.join(home, "project")),
  run: (table) => tryToWrite(table, "own_mode"),
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
  notOffered: (agent) => codexOnly(agent) ?? inSandbox(agent),
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
  notOffered: guarded,
  async run(table, agent) {
    const from = await table.say('[[fake: tool command="npm install left-pad"]]');
    const { requestId } = await table.next("ui_request", { from });
    await table.command({ type: "answer", requestId, result: false, reason: "use pnpm here [[fake: echo]]" });
    const { end } = await table.answerTo(from);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    const arrives =
      agent === "codex"
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
  notOffered: guarded,
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
    assert.equal(new Set(table.all("member_session").map((one) => one.nativeSessionId)).size, 1, "not one thread");
    const { from } = await table.run("[[fake: echo]]");
    assert.match(table.saidSince(from), /touch one.*touch two.*touch three/s);
  },
};

const profiles: Scenario = {
  name: "two profiles at once",
  notOffered: guarded,
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
  saysUnguarded,
  background,
  reason,
  writable,
  profiles,
};
