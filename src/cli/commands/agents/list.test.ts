import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemberSpec } from "../../../protocol/index.ts";
import { loadConfig } from "../../config/load-config.ts";
import { chosenMembers } from "../../members/resolver.ts";
import { withSpecs, listAll } from "./list.ts";

test("the routes list complete members, so that each can join as configured or discovered", async () => {
  const home = mkdtempSync(join(tmpdir(), "rt-list-"));
  mkdirSync(join(home, "roundtable"));
  const local = { kind: "openai", model: "small", baseUrl: "http://127.0.0.1:9/v1", prompt: "Be brief." };
  writeFileSync(join(home, "roundtable", "config.jsonc"), JSON.stringify({ agents: { local } }));
  const found: MemberSpec = { name: "pi", kind: "pi", command: ["/opt/pi"] };
  const finding = { spec: found, source: "program" as const, where: "/opt/pi", isSupported: true };
  const loaded = loadConfig({ cwd: home, env: { HOME: home, XDG_CONFIG_HOME: home } });
  const listed = withSpecs(await listAll(loaded, { agents: [finding], unanswered: [] }));
  const specOf = (name: string) => MemberSpec.parse(listed.find((one) => one.name === name));
  expect(specOf("local")).toEqual({ name: "local", ...local });
  expect(specOf("pi")).toEqual(found);
});

test("members of a new session come first, in its order, by which the page gives them their signs", async () => {
  const home = mkdtempSync(join(tmpdir(), "rt-list-"));
  mkdirSync(join(home, "roundtable"));
  const model = { kind: "openai", model: "small", baseUrl: "http://127.0.0.1:9/v1" };
  const config = {
    council: { members: ["scout", "last", "first"] },
    agents: { first: model, other: model, last: model },
  };
  writeFileSync(join(home, "roundtable", "config.jsonc"), JSON.stringify(config));
  const loaded = loadConfig({ cwd: home, env: { HOME: home, XDG_CONFIG_HOME: home } });
  const listed = await listAll(loaded, { agents: [], unanswered: [] });
  expect(listed.slice(0, 4).map(({ name, sitsDown }) => [name, sitsDown])).toEqual([
    ["scout", true],
    ["last", true],
    ["first", true],
    [listed[3]?.name, false],
  ]);
});

test("agents that are logged out, or whose vendor is already a member, do not join by default but can be named", async () => {
  const home = mkdtempSync(join(tmpdir(), "rt-list-"));
  const loaded = loadConfig({ cwd: home, env: { HOME: home, XDG_CONFIG_HOME: home } });
  const finding = (spec: MemberSpec, more = {}) => ({
    spec,
    source: "program" as const,
    where: "somewhere",
    isSupported: true,
    ...more,
  });
  const found = [
    finding({ name: "claude", kind: "claude" }),
    finding({ name: "codex", kind: "codex" }, { logIn: "codex login" }),
    finding({ name: "anthropic-api", kind: "openai" }, { coveredBy: "claude" }),
  ];
  const listed = await listAll(loaded, { agents: found, unanswered: [] });
  expect(listed.filter(({ sitsDown }) => sitsDown).map(({ name }) => name)).toEqual(["claude"]);
  const named = await chosenMembers(
    { ...loaded, config: { ...loaded.config, council: { ...loaded.config.council, members: ["codex"] } } },
    async () => ({ agents: found, unanswered: [] }),
  );
  expect(named.map(({ name }) => name)).toEqual(["codex"]);
});
