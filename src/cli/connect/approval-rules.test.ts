import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parseRule } from "../../agents/index.ts";
import { createRuleReader } from "../connect/local-host.ts";
import { overrideOf } from "../config/command-line-keys.ts";
import { loadConfig } from "../config/load-config.ts";
import { configJsonSchema } from "../config/schema.ts";
import { trust } from "../config/trust.ts";

function place() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "rt-rules-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, "config") };
  const user = join(home, "config", "roundtable", "config.jsonc");
  const project = join(cwd, ".roundtable", "config.jsonc");
  return { cwd, env, user, project };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test("rules are read from the configuration; an invalid one is reported with its position and what is valid", () => {
  const { cwd, env, user } = place();
  write(user, '{ "approvals": { "allow": ["shell: git status*"], "deny": ["edit: .env"] } }');
  expect(loadConfig({ cwd, env }).config.approvals).toEqual({ allow: ["shell: git status*"], deny: ["edit: .env"] });
  write(user, '{ "approvals": { "alow": [] } }');
  expect(() => loadConfig({ cwd, env })).toThrow(/1:18: unknown key "approvals\.alow"/);
  write(user, '{ "approvals": { "ask": ["shell: "] } }');
  expect(() => loadConfig({ cwd, env })).toThrow(/"approvals\.ask\.0" must be a rule: "tool" or "tool: pattern"/);
  expect(configJsonSchema()).toMatchObject({
    properties: {
      approvals: { properties: { deny: { type: "array" }, ask: { type: "array" }, allow: { type: "array" } } },
    },
  });
});

test("a trusted project can add deny and ask rules; its allow rules are ignored with a warning", async () => {
  const { cwd, env, user, project } = place();
  write(user, '{ "approvals": { "deny": ["shell: rm *"], "allow": ["shell: ls*"] } }');
  const text = '{ "approvals": { "deny": ["shell: curl*"], "ask": ["edit"], "allow": ["shell"] } }';
  write(project, text);
  await trust(project, text, env);
  const { config, warnings } = loadConfig({ cwd, env });
  expect(config.approvals).toEqual({ deny: ["shell: rm *", "shell: curl*"], ask: ["edit"], allow: ["shell: ls*"] });
  expect(warnings).toEqual([
    `${project}:1:70: "approvals.allow" is ignored in a project file. Set it in your own configuration.`,
  ]);
});

test("each rule names its file and list, in order of precedence", async () => {
  const { cwd, env, user, project } = place();
  write(user, '{ "approvals": { "allow": ["shell: ls*"],\n"ask": ["edit"], "deny": ["shell: rm *"] } }');
  const text = '{ "approvals": { "deny": ["shell: curl*"], "allow": ["shell"] } }';
  write(project, text);
  await trust(project, text, env);
  const { config, rules } = loadConfig({ cwd, env });
  expect(rules).toEqual([
    { verdict: "deny", text: "shell: rm *", origin: `${user}:2:26` },
    { verdict: "deny", text: "shell: curl*", origin: `${project}:1:26` },
    { verdict: "ask", text: "edit", origin: `${user}:2:8` },
    { verdict: "allow", text: "shell: ls*", origin: `${user}:1:27` },
  ]);
  const texts = (verdict: string) => rules.filter((one) => one.verdict === verdict).map((one) => one.text);
  expect(config.approvals).toEqual({ deny: texts("deny"), ask: texts("ask"), allow: texts("allow") });
});

test("a changed configuration applies within seconds; a broken one allows nothing new and warns once", () => {
  const { cwd, env, user } = place();
  const warnings: string[] = [];
  let nowMs = 0;
  const open = () =>
    createRuleReader({ env, parseRule, warn: (one) => void warnings.push(one), clock: { monotonic: () => nowMs } });
  const rulesFor = open();
  expect(rulesFor(cwd)).toEqual([]);
  write(user, '{ "approvals": { "allow": ["shell: ls"], "deny": ["write: x"] } }');
  expect(rulesFor(cwd)).toEqual([]);
  nowMs += 2_000;
  const rules = [
    { tool: "write", match: "x", verdict: "deny", from: `${user}:1:50` },
    { tool: "shell", match: "ls", verdict: "allow", from: `${user}:1:27` },
  ];
  expect(rulesFor(cwd)).toEqual(rules);
  write(user, "{");
  nowMs += 2_000;
  expect(rulesFor(cwd)).toEqual(rules);
  nowMs += 2_000;
  expect(rulesFor(cwd)).toEqual(rules);
  expect(open()(cwd)).toEqual([{ tool: "*", verdict: "ask", from: "the configuration could not be read" }]);
  expect(warnings).toEqual([
    expect.stringContaining("so the last known rules stay in effect: "),
    expect.stringContaining("so every call needs approval: "),
  ]);
});

test("an agent's api and window are configuration keys, and an unknown api is rejected", () => {
  const { cwd, env, user } = place();
  const agent = (more: string) =>
    `{ "agents": { "m": { "kind": "openai", "baseUrl": "http://127.0.0.1/v1", ${more} } } }`;
  write(user, agent('"api": "responses", "window": 32768'));
  expect(loadConfig({ cwd, env }).config.agents["m"]).toMatchObject({ api: "responses", window: 32_768 });
  write(user, agent('"api": "completions"'));
  expect(() => loadConfig({ cwd, env })).toThrow('"agents.m.api" must be one of chat, responses, found "completions"');
});

test("command-line rules are added to those of the files, whatever agents another directory configures", () => {
  const { cwd, env, user } = place();
  write(user, '{ "approvals": { "deny": ["write: x"] } }');
  const warnings: string[] = [];
  const overrides = ["approvals.deny=edit", "approvals.allow=shell", "agents.zoe.model=x"].map(overrideOf);
  const rulesFor = createRuleReader({ env, overrides, parseRule, warn: (one) => void warnings.push(one) });
  expect(rulesFor(cwd)).toEqual([
    { tool: "write", match: "x", verdict: "deny", from: `${user}:1:26` },
    { tool: "edit", verdict: "deny", from: "--config approvals.deny" },
    { tool: "shell", verdict: "allow", from: "--config approvals.allow" },
  ]);
  expect(warnings).toEqual([]);
});
