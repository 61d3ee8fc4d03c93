import { chmodSync, mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PREAMBLE, loadConfig } from "./load-config.ts";
import { trust, trustFile } from "./trust.ts";

interface Place {
  cwd: string;
  env: Record<string, string>;
  user: string;
  project: string;
}

function path(): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "rt-load-")));
  const cwd = join(home, "project", "deep");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(home, "project", ".git"));
  write(join(home, "project", ".git", "HEAD"), "ref: refs/heads/main\n");
  const user = join(home, "config", "roundtable", "config.jsonc");
  const project = join(home, "project", ".roundtable", "config.jsonc");
  return { cwd, env: { HOME: home, XDG_CONFIG_HOME: join(home, "config") }, user, project };
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const defaults = {
  council: {
    timeout: 600,
    auto_rounds: 3,
    rounds_need_model: true,
    mode: "broadcast",
    preamble: PREAMBLE,
    limits: { turns: 40, minutes: 30, tokens: 2_000_000, usd: 5 },
  },
  requests: { timeout: 300 },
  prompts: {},
  agents: {},
};

test("defaults apply without any configuration", () => {
  const { cwd, env } = path();
  const { config, warnings, settings } = loadConfig({ cwd, env });
  expect({ config, warnings }).toEqual({ config: defaults, warnings: [] });
  expect(new Set(settings.map((setting) => setting.origin))).toEqual(new Set(["default"]));
});

test("user file, trusted project, environment and flags override each other in this order, key by key", async () => {
  const { cwd, env, user, project } = path();
  write(user, '{ "council": { "timeout": 1, "auto_rounds": 1, "mode": "sequential", "preamble": "u" } }');
  const text = '{\n  "council": { "timeout": 2, "auto_rounds": 2, "mode": "broadcast" } }';
  write(project, text);
  await trust(project, text, env);
  const { config, settings } = loadConfig({
    cwd,
    env: { ...env, ROUNDTABLE_TIMEOUT: "3", ROUNDTABLE_AUTO_ROUNDS: "3" },
    flags: [{ path: "council.timeout", value: 4, origin: "--timeout" }],
  });
  const { rounds_need_model: _, ...chosen } = defaults.council;
  expect(config.council).toEqual({ ...chosen, timeout: 4, auto_rounds: 3, mode: "broadcast", preamble: "u" });
  const origins = Object.fromEntries(settings.map((setting) => [setting.path, setting.origin]));
  expect(origins).toEqual({
    "council.timeout": "--timeout",
    "council.auto_rounds": "ROUNDTABLE_AUTO_ROUNDS",
    "council.mode": `${project}:2:56`,
    "council.preamble": `${user}:1:82`,
    "council.limits.turns": "default",
    "council.limits.minutes": "default",
    "council.limits.tokens": "default",
    "council.limits.usd": "default",
    "requests.timeout": "default",
  });
});

test("a project's wider sandbox is no origin of the effective one", async () => {
  const { cwd, env, user, project } = path();
  write(user, '{ "sandbox": "require" }');
  write(project, '{ "sandbox": "off" }');
  await trust(project, '{ "sandbox": "off" }', env);
  const sandbox = loadConfig({ cwd, env }).settings.find((setting) => setting.path === "sandbox");
  expect(sandbox).toEqual({ path: "sandbox", value: "require", origin: `${user}:1:14` });
});

test("an untrusted project file, valid or not, is ignored with one warning", () => {
  const { cwd, env, project } = path();
  write(project, "{ this is not even JSON");
  const { config, warnings } = loadConfig({ cwd, env });
  expect(config).toEqual(defaults);
  expect(warnings).toEqual([
    `the project's ${project} is not trusted and was ignored. Read it, then run: roundtable config trust`,
  ]);
});

test("trust covers the exact content only and is stored in a private file", async () => {
  const { cwd, env, project } = path();
  write(project, '{ "council": { "timeout": 7 } }');
  await trust(project, '{ "council": { "timeout": 7 } }', env);
  expect(loadConfig({ cwd, env }).config.council.timeout).toBe(7);
  expect(statSync(trustFile(env)).mode & 0o777).toBe(0o600);
  write(project, '{ "council": { "timeout": 8 } }');
  expect(loadConfig({ cwd, env })).toMatchObject({
    config: defaults,
    warnings: [expect.stringContaining("not trusted")],
  });
});

test("a damaged trust record is a one-sentence error", () => {
  const { cwd, env, project } = path();
  write(project, "{}");
  write(trustFile(env), "[1]");
  expect(() => loadConfig({ cwd, env })).toThrow("is damaged");
});

test("outside a git checkout only the directory itself is searched", () => {
  const { cwd, env } = path();
  const outside = mkdtempSync(join(tmpdir(), "rt-outside-"));
  write(join(outside, ".roundtable", "config.jsonc"), "{}");
  mkdirSync(join(outside, "below"));
  expect(loadConfig({ cwd: join(outside, "below"), env }).warnings).toEqual([]);
  expect(loadConfig({ cwd: outside, env }).warnings).toHaveLength(1);
  expect(loadConfig({ cwd, env }).warnings).toEqual([]);
});

test("a later file replaces an agent entirely", async () => {
  const { cwd, env, user, project } = path();
  write(user, '{ "agents": { "a": { "kind": "acp", "command": ["x"] }, "b": { "kind": "pi" } } }');
  const text = '{ "agents": { "a": { "kind": "claude" } } }';
  write(project, text);
  await trust(project, text, env);
  expect(loadConfig({ cwd, env }).config.agents).toEqual({ a: { kind: "claude" }, b: { kind: "pi" } });
});

test("a rule whose tool is one slip away from a common one is a warning", () => {
  const { cwd, env, user } = path();
  write(user, '{ "approvals": { "deny": ["shel: rm *", "Edit: .env", "mcp__x__read"], "allow": ["raed"] } }');
  expect(loadConfig({ cwd, env }).warnings).toEqual([
    `approvals.deny (${user}:1:26): "shel: rm *" matches only a tool named shel. Did you mean shell?`,
    `approvals.allow (${user}:1:81): "raed" matches only a tool named raed. Did you mean read?`,
  ]);
});

test("a rule that denies reading is a warning: agent programs do not ask", () => {
  const { cwd, env, user } = path();
  write(user, '{ "approvals": { "deny": ["read: secrets/**"], "allow": ["read"] } }');
  expect(loadConfig({ cwd, env }).warnings).toEqual([
    `approvals.deny (${user}:1:26): "read: secrets/**" applies to built-in models only. Agent programs read files without asking.`,
  ]);
});

test("an invalid variable is named; an empty one counts as unset", () => {
  const { cwd, env } = path();
  const failing = (extra: Record<string, string>) => () => loadConfig({ cwd, env: { ...env, ...extra } });
  expect(failing({ ROUNDTABLE_TIMEOUT: "soon" })).toThrow('ROUNDTABLE_TIMEOUT must be a positive number, found "soon"');
  expect(failing({ ROUNDTABLE_MODE: "x" })).toThrow("ROUNDTABLE_MODE must be one of broadcast, sequential");
  expect(failing({ ROUNDTABLE_MEMBERS: "a,B" })).toThrow("ROUNDTABLE_MEMBERS must be a lower-case name");
  expect(failing({ ROUNDTABLE_TIMEOUT: "" })().config).toEqual(defaults);
  expect(failing({ ROUNDTABLE_MEMBERS: " a, b ," })().config.council.members).toEqual(["a", "b"]);
});

test.skipIf(process.getuid?.() === 0)("an unreadable file is a one-sentence error", () => {
  const { cwd, env, user } = path();
  write(user, "{}");
  chmodSync(user, 0o000);
  expect(() => loadConfig({ cwd, env })).toThrow(`cannot read the configuration ${user} (EACCES)`);
});

test.each([
  ["a directory", (file: string) => mkdirSync(file)],
  ["a link to a device", (file: string) => symlinkSync("/dev/zero", file)],
  ["a link to nothing that can be read", (file: string) => symlinkSync(dirname(file), file)],
])("a project's configuration that is %s is ignored with a warning", (_what, make) => {
  const { cwd, env, project } = path();
  mkdirSync(dirname(project), { recursive: true });
  make(project);
  const { config, warnings } = loadConfig({ cwd, env });
  expect(config).toEqual(defaults);
  expect(warnings).toEqual([expect.stringContaining(project)]);
});
