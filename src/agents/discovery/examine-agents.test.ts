import { spawnSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import type { Clock } from "../../kit/clock.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import { createAgentFactory } from "../create-agent.ts";
import { createProcessRecords } from "../process/tracking/process-records.ts";
import { chooseProcessList } from "../process/list/choose-process-list.ts";
import { absentAgents, findAgents } from "./find-agents.ts";
import { agentPrograms } from "./agent-programs.ts";
import { apiKeys } from "./api-keys.ts";
import { modelServers } from "./model-servers.ts";
import { examineAgents, type ExaminedAgent } from "./examine-agents.ts";
import { patient } from "../../../test/patience.ts";

interface Machine {
  root: string;
  env: Record<string, string>;
  examine: (
    specs: readonly MemberSpec[],
    more?: { versionMs?: number; clock?: Clock; signal?: AbortSignal },
  ) => Promise<ExaminedAgent[]>;
}

/** Scripts on a PATH of their own. */
async function machine(scripts: Readonly<Record<string, string>>, more: Record<string, string> = {}): Promise<Machine> {
  const root = await scratchTree();
  await mkdir(join(root, "bin"));
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(root, "bin", name), `#!/bin/sh\n${script.replaceAll("ROOT", `'${root}'`)}\n`);
    await chmod(join(root, "bin", name), 0o755);
  }
  const env = { PATH: join(root, "bin"), HOME: root, ...more };
  const examine: Machine["examine"] = (specs, options = {}) =>
    examineAgents(specs, { env, dataDir: join(root, "data"), ...options });
  return { root, env, examine };
}

/** A zombie counts as ended. */
function isRunning(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}

const claude: MemberSpec = { name: "claude", kind: "claude" };
const codex: MemberSpec = { name: "codex", kind: "codex" };
const pi: MemberSpec = { name: "pi", kind: "pi" };

describe.skipIf(process.platform === "win32")("asking for versions", () => {
  test("a version on stderr counts and is compared with the minimum", async () => {
    const { examine } = await machine({ pi: "echo 0.73.1 >&2" });
    const [versionResult] = await examine([pi]);
    expect([versionResult?.version, versionResult?.isTooOld]).toEqual(["0.73.1", true]);
  });

  test("a program is run with --version only, without input and without its API keys", async () => {
    const { root, examine } = await machine(
      {
        claude: `echo "$# $*" > ROOT/args; /usr/bin/env > ROOT/env; /bin/cat > ROOT/input; echo '2.1.325 (Claude Code)'`,
      },
      { ANTHROPIC_API_KEY: "canary-77", SOME_TOKEN: "canary-78" },
    );
    const [versionResult] = await examine([{ ...claude, env: ["ANTHROPIC_API_KEY"] }]);
    expect([versionResult?.version, versionResult?.lacks]).toEqual(["2.1.325", []]);
    expect(await readFile(join(root, "args"), "utf8")).toBe("1 --version\n");
    expect(await readFile(join(root, "input"), "utf8")).toBe("");
    const env = await readFile(join(root, "env"), "utf8");
    expect([env.includes("canary"), /^ROUNDTABLE_RUN=.+:claude:/m.test(env)]).toEqual([false, true]);
  });

  test("the version check also works without a home directory", async () => {
    const HOME = "/dev/null/home";
    vi.stubEnv("HOME", HOME);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { examine } = await machine({ claude: "echo 2.1.325" }, { HOME });
    expect((await examine([claude])).map(({ version }) => version)).toEqual(["2.1.325"]);
  });

  test("programs are checked in parallel", async () => {
    const meet = (own: string, other: string) =>
      `: > ROOT/${own}; while [ ! -e ROOT/${other} ]; do /bin/sleep 0.02; done; echo 9.9.9`;
    const { examine } = await machine({ claude: meet("a", "b"), codex: meet("b", "a") });
    const versions = (await examine([claude, codex], { versionMs: patient(8_000) })).map(({ version }) => version);
    expect(versions).toEqual(["9.9.9", "9.9.9"]);
  });

  test("a hanging program is killed at the time limit, with everything it started", async () => {
    const { root, examine } = await machine({
      codex: `trap '' TERM; /bin/sleep 300 & echo $! > ROOT/child; echo $$ > ROOT/self; wait; wait`,
    });
    const clock = createHandClock();
    const examined = examine([codex], { versionMs: 500, clock });
    const written = () =>
      Promise.all(["self", "child"].map((file) => readFile(join(root, file), "utf8").catch(() => "")));
    while ((await written()).includes("")) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.advance(500);
    const [versionResult] = await examined;
    expect([versionResult?.version, versionResult?.whyNoVersion]).toEqual([
      undefined,
      "version check timed out (0.5 s)",
    ]);
    const pids = await written();
    expect(pids.map((pid) => isRunning(Number(pid)))).toEqual([false, false]);
  });

  test.each([
    [
      "exits with a failure",
      "echo 'needs v22.19.0 of node'; exit 1",
      "--version exited with 1: needs v22.19.0 of node",
    ],
    ["fails with escapes", "printf '\\033[2J\\033]0;x\\007bad\\n' >&2; exit 7", "--version exited with 7: bad"],
    ["kills itself", "kill -9 $$", "--version was ended by SIGKILL"],
    ["says nothing", "exit 0", "--version printed nothing"],
    ["says escapes", "printf '\\033[31mhello\\033[0m\\n'", '--version printed "hello"'],
    ["says bytes", "printf '\\377\\376\\001\\n'", '--version printed "\ufffd\ufffd^A"'],
    ["floods", "while :; do echo flood; done", '--version printed "flood"'],
  ])("one that %s leaves a sentence instead of a version", async (_what, script, whyNot) => {
    const { examine } = await machine({ pi: script });
    const [versionResult] = await examine([pi], { versionMs: patient(8_000) });
    expect([versionResult?.version, versionResult?.whyNoVersion]).toEqual([undefined, whyNot]);
    expect(versionResult?.lacks).toEqual([{ what: `version unknown: ${whyNot}` }]);
  });

  test("an aborted check does not wait for any program", async () => {
    const { examine } = await machine({ pi: "exec /bin/sleep 300" });
    const stop = new AbortController();
    const examined = examine([pi], { signal: stop.signal });
    stop.abort();
    expect((await examined)[0]?.version).toBeUndefined();
  });

  test("a version that is too old is reported with the update command", async () => {
    const { root, examine } = await machine({ codex: "echo codex-cli 0.99.2" });
    const [versionResult] = await examine([codex]);
    const what = "version 0.99.2 is older than 0.166.0, the oldest known to work in the mode app-server";
    expect(versionResult).toEqual({
      name: "codex",
      program: join(root, "bin/codex"),
      version: "0.99.2",
      isTooOld: true,
      login: { state: "no" },
      abilities: { steer: true, tools: true, approvals: true, resume: true, ourTools: true },
      lacks: [
        { what, command: "npm install -g @openai/codex" },
        { what: "not logged in", command: "codex login" },
      ],
    });
  });

  test("a configured command is checked only if it has the program's name", async () => {
    const { root, examine } = await machine({ node: ": > ROOT/was-run; echo 26.0.0", claude: "echo 2.2.0" });
    const [wrapped, named] = await examine([
      { ...claude, name: "wrapped", command: ["node", "claude.js"] },
      { ...claude, name: "named", command: [join(root, "bin/claude"), "--debug"] },
    ]);
    expect([wrapped?.version, named?.version]).toEqual([undefined, "2.2.0"]);
    expect(wrapped?.whyNoVersion).toBe('"node" is not run, because it does not have the program\'s name');
    await expect(readFile(join(root, "was-run"))).rejects.toThrow("ENOENT");
  });
});

test("a configured member whose program is missing is reported with the install command", async () => {
  const { examine } = await machine({});
  const [known, strange] = await examine([claude, { name: "odd", kind: "acp", command: ["odd-agent", "acp"] }]);
  expect(known?.lacks).toEqual([
    { what: '"claude" is not on PATH', command: "npm install -g @anthropic-ai/claude-code" },
  ]);
  expect(strange?.lacks).toEqual([
    { what: '"odd-agent" was not found on PATH. Install it, or give its absolute path.' },
  ]);
});

test("listed capabilities equal those of the agent in a session", async () => {
  const { root, examine } = await machine({});
  const specs = [
    { name: "scout", kind: "embedded" } as const,
    claude,
    pi,
    ...agentPrograms.map(({ spec }) => ({ ...spec, name: `my-${spec.name}` })),
  ];
  const records = createProcessRecords({ dataDir: join(root, "data"), processes: chooseProcessList() });
  const examined = await examine(specs);
  const createAgent = createAgentFactory([{ name: "scout", load: () => Promise.reject(new Error("not started")) }]);
  for (const [at, spec] of specs.entries()) {
    const agent = createAgent(spec, { sessionId: "session", cwd: root, writable: false, records });
    const { steer, tools, requests, keepsContext } = agent.capabilities;
    expect(examined[at]?.abilities).toMatchObject({ steer, tools, approvals: requests, resume: keepsContext });
    await agent.close();
  }
});

test("missing agents are listed with their install command, unless a member uses them under another name", () => {
  const everybody = absentAgents([]);
  expect(everybody.filter(({ command }) => command === "")).toEqual([]);
  expect(everybody.map(({ name }) => name)).toEqual([
    ...agentPrograms.map(({ spec }) => spec.name),
    ...apiKeys.map(({ spec }) => spec.name),
    ...modelServers.map(({ name }) => name),
  ]);
  const present: MemberSpec[] = [
    { name: "ada", kind: "claude" },
    { name: "bob", kind: "acp", command: ["/opt/gemini", "--acp"] },
    { name: "cyd", kind: "openai", baseUrl: "http://127.0.0.1:11434/v1" },
  ];
  const fewer = new Set(absentAgents(present).map(({ name }) => name));
  expect(["claude", "gemini", "ollama", "codex", "vllm"].filter((name) => fewer.has(name))).toEqual(["codex", "vllm"]);
});

test("on request a search examines the given members and discovered ones with free names", async () => {
  const { root, env } = await machine({ claude: "echo 2.1.325", pi: "echo 1.5.0" });
  const members: MemberSpec[] = [{ name: "claude", kind: "embedded", model: "scout" }];
  const plain = await findAgents({ env, servers: [] });
  expect(plain.examination).toBeUndefined();
  const { examination } = await findAgents({ env, servers: [], examine: { dataDir: join(root, "data"), members } });
  expect(examination?.agents.map(({ name, version }) => [name, version])).toEqual([
    ["claude", undefined],
    ["pi", "1.5.0"],
  ]);
  expect(examination?.absent.map(({ name }) => name)).not.toContain("pi");
});
