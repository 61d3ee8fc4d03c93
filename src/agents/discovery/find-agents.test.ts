import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { drainBeforeTimeout } from "../../kit/io/drain-before-timeout.ts";
import { AgentKind, MemberSpec, NO_CAPABILITIES } from "../../protocol/index.ts";
import { createAgentFactory } from "../create-agent.ts";
import { whyUnsupported } from "../kinds.ts";
import { createProcessRecords } from "../process/tracking/process-records.ts";
import { chooseProcessList } from "../process/list/choose-process-list.ts";
import { hasSupportedKinds, findAgents, type FindOptions } from "./find-agents.ts";

const nobody: Pick<FindOptions, "servers"> = { servers: [] };
const describePosix = process.platform === "win32" ? test.skip : test;

/** Programs that leave a mark when run. */
async function folderOf(root: string, folder: string, names: readonly string[]): Promise<string> {
  await mkdir(join(root, folder), { recursive: true });
  for (const name of names) {
    const file = join(root, folder, name);
    await writeFile(file, `#!/bin/sh\ntouch '${join(root, "was-run")}'\n`);
    await chmod(file, 0o755);
  }
  return join(root, folder);
}

function path(...folders: readonly string[]): { PATH: string } {
  return { PATH: folders.join(delimiter) };
}

describePosix("each agent program is the first executable of its name on PATH, and is never started", async () => {
  const root = await scratchTree();
  const programs = ["claude", "codex", "pi", "opencode", "gemini"];
  const first = await folderOf(root, "first", ["codex"]);
  const second = await folderOf(root, "second", programs);
  await mkdir(join(first, "claude"));
  await writeFile(join(first, "pi"), "not for running");
  const { agents, unanswered } = await findAgents({ env: path("", ".", "second", first, second), ...nobody });
  const facts = agents.map(({ spec, source: foundBy, where }) => [spec.name, spec.kind, foundBy, where]);
  expect({ facts, unanswered }).toEqual({
    facts: [
      ["claude", "claude", "program", join(second, "claude")],
      ["codex", "codex", "program", join(first, "codex")],
      ["pi", "pi", "program", join(second, "pi")],
      ["opencode", "opencode", "program", join(second, "opencode")],
      ["gemini", "acp", "program", join(second, "gemini")],
    ],
    unanswered: [],
  });
  expect(agents.map(({ spec }) => MemberSpec.parse(spec))).toEqual(agents.map(({ spec }) => spec));
  expect(existsSync(join(root, "was-run"))).toBe(false);
});

describePosix(
  "Cursor's program counts only where Cursor installs it, not as a package or some other `agent`",
  async () => {
    const root = await scratchTree();
    const installed = await folderOf(root, "share/cursor-agent/versions/1", ["cursor-agent"]);
    const npm = await folderOf(root, "lib/node_modules/cursor-agent", ["cursor-agent"]);
    const others = await folderOf(root, "others", ["agent"]);
    const linked = async (name: string, target: string) => {
      const file = join(root, "bin", name, "agent");
      await mkdir(dirname(file), { recursive: true });
      await symlink(target, file);
      return dirname(file);
    };
    const find = async (...folders: readonly string[]) =>
      (await findAgents({ env: path(...folders), ...nobody })).agents.map(({ spec, where }) => [spec.name, where]);
    const bin = await linked("good", join(installed, "cursor-agent"));
    expect(await find(others, npm, bin)).toEqual([["cursor", join(bin, "agent")]]);
    expect(await find(others, npm, await linked("bad", join(npm, "cursor-agent")))).toEqual([]);
    expect(await find(bin, installed)).toEqual([["cursor", join(installed, "cursor-agent")]]);
  },
);

test("an API key counts when it is not empty; its value is not in the result", async () => {
  const value = "sk-canary-3f9a";
  const names = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"];
  const env = { ...Object.fromEntries(names.map((name) => [name, value])), SOME_API_KEY: value };
  const { agents } = await findAgents({ env, ...nobody });
  expect(agents.map(({ spec, source: foundBy, where }) => [spec.name, spec.kind, spec.env, foundBy, where])).toEqual([
    ["anthropic-api", "openai", ["ANTHROPIC_API_KEY"], "key", "ANTHROPIC_API_KEY"],
    ["openai-api", "openai", ["OPENAI_API_KEY"], "key", "OPENAI_API_KEY"],
    ["openrouter-api", "openai", ["OPENROUTER_API_KEY"], "key", "OPENROUTER_API_KEY"],
    ["gemini-api", "openai", ["GEMINI_API_KEY"], "key", "GEMINI_API_KEY"],
  ]);
  expect(JSON.stringify(agents)).not.toContain(value);
  const empty = Object.fromEntries(names.map((name) => [name, " "]));
  expect(await findAgents({ env: empty, ...nobody })).toEqual({ agents: [], unanswered: [] });
});

test.each([
  ["https://gateway.example", "https://gateway.example/v1"],
  ["http://127.0.0.1:4010/anthropic/", "http://127.0.0.1:4010/anthropic/v1"],
  [" ", "https://api.anthropic.com/v1"],
  ["https://user:canary@gateway.example", undefined],
  ["https://gateway.example/?token=canary", undefined],
  ["file:///etc/passwd", undefined],
  ["no address", undefined],
])("a key whose server is %j is used at %j and never at the usual one", async (address, baseUrl) => {
  const { agents } = await findAgents({ env: { ANTHROPIC_API_KEY: "x", ANTHROPIC_BASE_URL: address }, ...nobody });
  expect(agents.map(({ spec }) => spec.baseUrl)).toEqual(baseUrl === undefined ? [] : [baseUrl]);
});

test("the usual local ports are probed in parallel, and each server that responds is found", async () => {
  const asked: number[] = [];
  const probe = async (port: number) => {
    asked.push(port);
    return port === 11_434 || port === 8000;
  };
  const { agents } = await findAgents({ env: {}, probe });
  expect(asked).toEqual([11_434, 1234, 8080, 8000]);
  const where = (port: number) => `http://127.0.0.1:${port}/v1`;
  const facts = { source: "server", isSupported: true };
  expect(agents).toEqual([
    { spec: { name: "ollama", kind: "openai", baseUrl: where(11_434) }, where: where(11_434), ...facts },
    { spec: { name: "vllm", kind: "openai", baseUrl: where(8000) }, where: where(8000), ...facts },
  ]);
});

test("after 300 ms of running time the search returns what it has and names what did not respond", async () => {
  const clock = createHandClock();
  const probe = (port: number) => (port === 1 ? Promise.resolve(true) : new Promise<boolean>(() => {}));
  const servers = [
    { name: "here", port: 1 },
    { name: "stuck", port: 2 },
  ];
  const search = findAgents({ env: { OPENAI_API_KEY: "x" }, servers, probe, clock });
  let isOver = false;
  void search.then(() => (isOver = true));
  // Suspended for a minute, which counts as one step of ten.
  clock.advance(60_000);
  for (let step = 0; step < 8; step += 1) clock.advance(30);
  clock.advance(29);
  await drainBeforeTimeout();
  expect(isOver).toBe(false);
  clock.advance(1);
  const { agents, unanswered } = await search;
  expect(agents.map(({ spec }) => spec.name)).toEqual(["openai-api", "here"]);
  expect(unanswered).toEqual(["http://127.0.0.1:2/v1"]);
  expect(clock.waiting()).toBe(0);
});

test("discovery and the agent factory agree on who can join", async () => {
  const records = createProcessRecords({ dataDir: await scratchTree(), processes: chooseProcessList() });
  const createAgent = createAgentFactory([{ name: "scout", load: () => Promise.reject(new Error("not started")) }]);
  for (const kind of AgentKind.options) {
    const agent = createAgent(
      { name: "scout", kind, command: ["agent"] },
      { sessionId: "session", cwd: "/", writable: false, records },
    );
    expect([kind, agent.capabilities !== NO_CAPABILITIES]).toEqual([kind, whyUnsupported(kind) === undefined]);
    await agent.close();
  }
  expect(whyUnsupported("someday" as AgentKind)).toBe("kind someday is not supported by this version");
  expect(hasSupportedKinds).toBe(true);
});

describePosix("logged-out agents are marked, and a vendor's API is left out when its program can be used", async () => {
  const root = await scratchTree({ "home/.claude/.credentials.json": "long-enough-for-a-credential" });
  const bin = await folderOf(root, "bin", ["claude", "codex"]);
  const keys = { ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key" };
  const { agents } = await findAgents({ env: { ...path(bin), ...keys, HOME: join(root, "home") }, ...nobody });
  expect(agents.map(({ spec, logIn, coveredBy }) => [spec.name, logIn, coveredBy])).toEqual([
    ["claude", undefined, undefined],
    ["codex", "printenv OPENAI_API_KEY | codex login --with-api-key", undefined],
    ["anthropic-api", undefined, "claude"],
    ["openai-api", undefined, undefined],
  ]);
});

describePosix("a program inside the session's checkout is not found", async () => {
  const root = await scratchTree({
    "repo/.git/HEAD": "ref: refs/heads/main\n",
    "repo/src/a.txt": "a",
    "else/b.txt": "b",
  });
  const bin = await folderOf(root, "repo/node_modules/.bin", ["claude"]);
  const find = async (cwd: string) => (await findAgents({ env: { ...path(bin), HOME: root }, cwd, ...nobody })).agents;
  expect(await find(join(root, "repo", "src"))).toEqual([]);
  expect(await find(join(root, "else"))).toHaveLength(1);
});
