import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { overrideOf } from "./command-line-keys.ts";
import { loadConfig, type LoadedConfig } from "./load-config.ts";

/** Effective configuration for a user file and these command-line keys. */
function loaded(pairs: readonly string[], file: object = {}, more: Record<string, string> = {}): LoadedConfig {
  const home = mkdtempSync(join(tmpdir(), "rt-keys-"));
  mkdirSync(join(home, "roundtable"));
  writeFileSync(join(home, "roundtable", "config.jsonc"), JSON.stringify(file));
  const env = { HOME: home, XDG_CONFIG_HOME: home, ...more };
  return loadConfig({ cwd: home, env, overrides: pairs.map(overrideOf) });
}

function refusal(...pairs: string[]): { message: string; hint: string | undefined; exitCode: number } {
  try {
    loaded(pairs);
  } catch (error) {
    const { message, hint, exitCode } = error as { message: string; hint: string | undefined; exitCode: number };
    return { message, hint, exitCode };
  }
  throw new Error("it was accepted");
}

test("a key on the command line overrides files and environment, and a later one overrides an earlier one", () => {
  const file = { council: { timeout: 1, mode: "sequential" }, requests: { timeout: 9 } };
  const pairs = ["council.timeout=4", "council.writable=true", "council.timeout=5", "council.limits.session.usd=2.5"];
  const { config, settings, overridden } = loaded(pairs, file, { ROUNDTABLE_TIMEOUT: "3" });
  expect(config.council).toMatchObject({ timeout: 5, writable: true, mode: "sequential" });
  expect(config.council.limits).toEqual({ turns: 40, minutes: 30, tokens: 2_000_000, usd: 5, session: { usd: 2.5 } });
  const ofFlags = settings
    .filter(({ origin }) => origin.startsWith("--config "))
    .map(({ path, origin }) => [path, origin]);
  expect(ofFlags).toEqual([
    ["council.timeout", "--config council.timeout"],
    ["council.writable", "--config council.writable"],
    ["council.limits.session.usd", "--config council.limits.session.usd"],
  ]);
  expect(overridden.map(({ path, value }) => [path, value])).toEqual([
    ["council.timeout", 5],
    ["council.writable", true],
    ["council.limits.session.usd", 2.5],
  ]);
});

test.each([
  ["council.mode=sequential", "council.mode", "sequential"],
  ['council.mode="sequential"', "council.mode", "sequential"],
  ["council.preamble=Say a=b, and no more", "council.preamble", "Say a=b, and no more"],
  ["council.preamble=42", "council.preamble", "42"],
  ["council.members=scout", "council.members", ["scout"]],
  ["council.members= scout, critic ,", "council.members", ["scout", "critic"]],
  ['council.members=["scout","critic"]', "council.members", ["scout", "critic"]],
  ["approvals.allow=shell: npm test*,read", "approvals.allow", ["shell: npm test*", "read"]],
  ['approvals.deny=["shell: a,b"]', "approvals.deny", ["shell: a,b"]],
  ['council={"timeout":7}', "council.timeout", 7],
  ["threads.mirror=true", "threads.mirror", true],
  ['agents.zoe={"kind":"pi"}', "agents.zoe", { kind: "pi" }],
  ['mcpServers.files={"command":"x"}', "mcpServers.files", { command: "x" }],
] as const)("%s is read as the key takes it", (pair, path, value) => {
  const [setting] = loaded([pair]).overridden;
  expect([setting?.path, setting?.value]).toEqual([path, value]);
});

test("a number becomes a one-item list where the key is a list of strings", () => {
  expect(overrideOf("mcpServers.files.args=1").value).toEqual(["1"]);
  expect(overrideOf("mcpServers.files.command=7").value).toBe("7");
});

test("deny and ask rules are added to those of the files; allow rules replace them", () => {
  const file = { approvals: { deny: ["shell: rm *"], allow: ["read"] } };
  const { config } = loaded(["approvals.deny=write", "approvals.deny=edit", "approvals.allow=shell"], file);
  expect(config.approvals).toEqual({ deny: ["shell: rm *", "write", "edit"], allow: ["shell"] });
});

test.each([
  ["council.timout=5", 'council.timout: unknown key "council.timout"', 'Did you mean "council.timeout"?'],
  ["counsil.timeout=5", 'counsil.timeout: unknown key "counsil"', 'Did you mean "council"?'],
  ["council.timeout=soon", 'council.timeout: "council.timeout" must be a positive number, found "soon"', undefined],
  [
    "council.auto_rounds=-1",
    'council.auto_rounds: "council.auto_rounds" must be an integer, 0 or more, found -1',
    undefined,
  ],
  ["council.timeout.x=5", 'council.timeout.x: "council.timeout" must be a positive number, found {"x":5}', undefined],
  ["council=5", 'council: "council" must be an object, found 5', undefined],
  ["council.preamble=", 'council.preamble: "council.preamble" must be a non-empty string, found ""', undefined],
  ["agents.zoe.modle=x", 'agents.zoe.modle: unknown key "agents.zoe.modle"', 'Did you mean "agents.zoe.model"?'],
  ["agents.zoe.kind=acp", 'agents.zoe.kind: "agents.zoe" needs "command" because its kind is acp', undefined],
  [
    "constructor.x=1",
    'constructor.x: unknown key "constructor"',
    expect.stringMatching(/^Known keys: \$schema, council/),
  ],
])("--config %s is refused in the words of a file, with the flag as its place", (pair, message, hint) => {
  expect(refusal(pair)).toEqual({ message: `--config ${message}`, hint, exitCode: 2 });
});

test("an invalid list item is named, and a missing key is reported where it was given", () => {
  expect(refusal("council.members=scout,Big").message).toMatch(
    /^--config council\.members: "council\.members\.1" must be a lower-case name: .*, found "Big"$/,
  );
  expect(refusal("council.timeout=5", "agents.zoe.model=x").message).toMatch(
    /^--config agents\.zoe\.model: "agents\.zoe\.kind" must be one of .*, but it is missing$/,
  );
});

test.each([
  ["council.timeout", '--config "council.timeout" has no "="'],
  ["=5", '--config "" is not a valid key'],
  ["council.=5", '--config "council." is not a valid key'],
  ["__proto__.council=5", '--config "__proto__.council" is not a valid key'],
])("%s is no key and value, and is a usage error that shows one", (pair, message) => {
  expect(refusal(pair)).toMatchObject({ message, hint: expect.stringContaining("council.timeout=60"), exitCode: 2 });
});

test("a key of an agent or tool server overrides the files", () => {
  const file = {
    agents: { zoe: { kind: "claude", model: "small", color: "red" } },
    mcpServers: { files: { command: "x", args: ["a"] } },
  };
  const pairs = ["agents.zoe.model=large", "mcpServers.files.disabled=true", "mcpServers.files.env.TOKEN=${T}"];
  const { config, settings } = loaded(pairs, file);
  expect(config.agents).toEqual({ zoe: { kind: "claude", model: "large", color: "red" } });
  expect(config.mcpServers).toEqual({ files: { command: "x", args: ["a"], disabled: true, env: { TOKEN: "${T}" } } });
  expect(settings.find(({ path }) => path === "agents.zoe")?.origin).toMatch(
    /config\.jsonc:1:\d+, --config agents\.zoe\.model$/,
  );
});

test("several keys together define an agent, though each alone would be invalid", () => {
  const { config } = loaded(["agents.zoe.kind=acp", "agents.zoe.command=zoe,--acp", "agents.zoe.env=KEY"]);
  expect(config.agents).toEqual({ zoe: { kind: "acp", command: ["zoe", "--acp"], env: ["KEY"] } });
  const { config: server } = loaded(["mcpServers.web.url=https://example.org", "mcpServers.web.headers.X-Key=${K}"]);
  expect(server.mcpServers).toEqual({ web: { url: "https://example.org", headers: { "X-Key": "${K}" } } });
});
