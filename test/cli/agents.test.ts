/** Who is found, who sits down, and what a person is told of it. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findAgents } from "../../src/agents/index.ts";
import { findListedAgents } from "../../src/cli/commands/agents/agents.ts";
import { embeddedMembers } from "../../src/cli/edges.ts";
import { leakProcess } from "../agents/leak-process.ts";
import { createHome, onlyScout, type Home } from "./program.ts";

const builtIn = embeddedMembers.map((spec) => spec.name);
/** The model servers of the machine that runs the test: their ports are everybody's. */
const servers = (await findAgents({ env: {} })).agents;
const serverUrls = servers.map(({ spec, where }) => `${spec.name} (${where})`);
/**
 * PATH is the programs of the test alone, so that what is installed here does not matter. Each notes how it was called
 * and then does what its script says.
 */
function machine(
  programs: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
): { home: Home; bin: string; env: Record<string, string>; calls: () => string[] } {
  const home = createHome();
  home.configure({});
  const bin = join(home.directory, "bin");
  const callsFile = join(home.directory, "calls");
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> '${callsFile}'\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const calls = () => (existsSync(callsFile) ? readFileSync(callsFile, "utf8").trim().split("\n").toSorted() : []);
  return { home, bin, env: { PATH: bin, ...env }, calls };
}

/** Its sandbox is part of the system, whatever PATH says. */
const isMac = process.platform === "darwin";
const says = (version: string) => `echo '${version}'`;
const everything = { steer: true, tools: true, approvals: true, resume: true, ourTools: true };

describe.skipIf(process.platform === "win32")("finding members", () => {
  test("the first start lists found agents, members and how to change them on stderr, without version checks", async () => {
    const { home, bin, env, calls } = machine({ claude: "exit 1", codex: "exit 1" });
    mkdirSync(join(home.directory, ".claude"));
    writeFileSync(join(home.directory, ".claude", ".credentials.json"), '{"token":"canary-5b1e-and-more"}');
    const ran = await home.run(["-p", "hello", "--timeout", "20"], { env });
    const programs = [`claude (${join(bin, "claude")})`, `codex (${join(bin, "codex")})`];
    const seated = ["claude", ...servers.map(({ spec }) => spec.name)].join(", ");
    expect(ran.stderr).toContain(
      [
        "Welcome to Roundtable. No members are configured.",
        `  found      ${[...programs, ...serverUrls].join(", ")}`,
        `  members    ${seated}`,
        "  log in     codex (codex login)",
        `  change it  --members NAMES, or council.members in ${home.configFile}`,
        "             roundtable agents lists all agents; roundtable config show --origin shows every setting",
        "",
      ].join("\n"),
    );
    expect(calls().length).toBeGreaterThan(0);
    expect(calls().filter((call) => call.includes("--version"))).toEqual([]);
  });

  test("it is printed once", async () => {
    const { home, env } = machine({});
    const first = await home.runHere(["-p", "/try silence"], { env });
    const again = await home.runHere(["-p", "/try silence"], { env });
    expect([first.stderr.includes("Welcome to Roundtable"), again.code, again.stderr]).toEqual([true, 0, ""]);
  });

  test.skipIf(servers.length > 0)("on a bare machine it reports that nothing was found", async () => {
    const { home, env } = machine({});
    const ran = await home.runHere(["-p", "/try silence"], { env });
    expect(ran.stderr).toContain("  found      no agent program on PATH, no API key, no local model server\n");
    expect(ran.stderr).not.toContain("not yet");
  });

  test.each([
    ["JSON", ["--json"], {}],
    ["stream-json", ["--output-format", "stream-json"], {}],
    ["--members", ["--members", "scout"], {}],
    ["configured members", [], onlyScout],
    ["configured agents", [], { agents: { ada: { kind: "embedded", model: "scout" } } }],
  ])("with %s nothing is printed", async (_what, flags, config) => {
    const { home, env } = machine({});
    home.configure(config);
    const ran = await home.runHere(["-p", "/try silence", ...flags], { env });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });

  test("a found agent that is not configured joins only when named, and starts only then", async () => {
    const { home, env, calls } = machine({ claude: "exit 1", gemini: "exit 1" });
    const ran = await home.runHere(["-p", "hello", "--members", "gemini", "--json"], { env });
    expect(Object.keys((JSON.parse(ran.stdout) as { members: object }).members)).toEqual(["gemini"]);
    expect(calls().filter((call) => !call.startsWith("gemini"))).toEqual([]);
    const wrong = await home.runHere(["-p", "hello", "--members", "gemino"], { env });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/^roundtable: unknown member "gemino" in --members\. .*, claude, gemini.*"gemini"\?\n$/),
    ]);
    const missing = await home.runHere(["-p", "hello", "--members", "gemini,codex"], { env });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      'roundtable: "codex" in --members is not available here: no "codex" on PATH. To get it: npm install -g @openai/codex.\n',
    ]);
    home.configure({ council: { members: ["claude"] } });
    const [agents, config] = await Promise.all([
      home.runHere(["agents", "--json"], { env }),
      home.runHere(["config", "show"], { env }),
    ]);
    const { agents: here } = JSON.parse(agents.stdout) as { agents: { name: string; sitsDown: boolean }[] };
    expect(here.filter(({ sitsDown }) => sitsDown).map(({ name }) => name)).toEqual(["claude"]);
    expect(JSON.parse(config.stdout)).toMatchObject({ council: { members: ["claude"] } });
  });

  test("agents lists installed, joining and missing agents, and creates no data directory", async () => {
    const { home, bin, env, calls } = machine(
      { codex: says("codex-cli 0.166.0"), pi: says("0.80.0") },
      { GEMINI_API_KEY: "sk-secret" },
    );
    const ran = await home.runHere(["agents"], { env });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const [here = "", toDo = "", absent = ""] = ran.stdout.split("\n\n");
    const all = "steer tools approvals resume our-tools";
    const own = isMac ? "sandboxed" : "own read-only mode";
    const builtInModel = "own read-only mode";
    expect(here.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["NAME", "KIND", "JOINS", "VERSION", "LOGIN", "GUARD", "CAN", "WHERE"],
      ["pi", "pi", "by default", "0.80.0 (too old)", "yes (GEMINI_API_KEY)", own, all, join(bin, "pi")],
      ["gemini-api", "openai", "by default", "-", "yes (GEMINI_API_KEY)", builtInModel, all, "GEMINI_API_KEY"],
      ...servers.map(({ spec, where }) => [
        spec.name,
        spec.kind,
        "by default",
        "-",
        "not needed",
        builtInModel,
        all,
        where,
      ]),
      ...builtIn.map((name) => [name, "embedded", "by name", "-", "not needed", "-", all, "built in"]),
      ["codex", "codex", "by name", "0.166.0", "no", own, all, join(bin, "codex")],
    ]);
    expect(toDo).toBe(
      "To do:\n  pi     version 0.80.0 is older than 0.87.1, the oldest known to work in the mode rpc: " +
        "npm install -g @earendil-works/pi-coding-agent\n  codex  not logged in: codex login",
    );
    expect(absent).toMatch(
      /^Not on this machine:\n {2}claude +no "claude" on PATH: npm install -g @anthropic-ai\/claude-code\n/,
    );
    expect(ran.stdout).not.toContain("sk-secret");
    expect(calls()).toEqual(["codex --version", "pi --version"]);
    expect(readdirSync(home.directory)).not.toContain("data");
  });

  test("agents --json has the same for programs, with the configuration in effect", async () => {
    const { home, bin, env } = machine({ codex: says("codex-cli 0.166.0"), claude: says("2.1.325 (Claude Code)") });
    mkdirSync(join(home.directory, ".codex"));
    writeFileSync(join(home.directory, ".codex", "auth.json"), '{"token":"canary-5b1e-and-more"}');
    home.configure({
      council: { members: ["ada"] },
      agents: { ada: { kind: "embedded", model: "scout" }, claude: { kind: "claude" } },
    });
    const ran = await home.runHere(["agents", "--json"], { env });
    expect(ran.stdout).not.toContain("canary");
    const { agents, absent, unanswered } = JSON.parse(ran.stdout) as Record<string, Record<string, unknown>[]>;
    expect(unanswered).toEqual([]);
    const configured = { foundBy: "configuration", where: expect.stringContaining(`${home.configFile}:1:`) };
    const here = { canBeSeated: true, isTooOld: false, abilities: everything };
    expect(agents?.filter((one) => one["foundBy"] !== "server" && one["foundBy"] !== "built-in")).toEqual([
      {
        name: "ada",
        kind: "embedded",
        ...configured,
        ...here,
        sitsDown: true,
        login: { state: "not needed" },
        lacks: [],
      },
      {
        name: "claude",
        kind: "claude",
        ...configured,
        ...here,
        sitsDown: false,
        program: join(bin, "claude"),
        version: "2.1.325",
        guard: { kind: isMac ? "sandbox" : "own_mode", why: expect.any(String) },
        login: { state: process.platform === "linux" ? "no" : "unknown" },
        lacks: process.platform === "linux" ? [{ what: "not logged in", command: "claude auth login" }] : [],
      },
      {
        name: "codex",
        kind: "codex",
        foundBy: "program",
        where: join(bin, "codex"),
        ...here,
        sitsDown: false,
        program: join(bin, "codex"),
        version: "0.166.0",
        guard: { kind: isMac ? "sandbox" : "own_mode", why: expect.any(String) },
        login: { state: "yes", by: join(home.directory, ".codex", "auth.json") },
        lacks: [],
      },
    ]);
    // The member of a new session first.
    expect(agents?.slice(0, 1 + builtIn.length).map((one) => [one["name"], one["sitsDown"]])).toEqual([
      ["ada", true],
      ...builtIn.map((name) => [name, false]),
    ]);
    expect(absent?.[0]).toEqual({
      name: "cursor",
      kind: "cursor",
      what: 'no "cursor-agent" or "agent" on PATH',
      command: "curl https://cursor.com/install -fsS | bash",
    });
  });

  test.skipIf(isMac)("agents and doctor show each member's guard, and how to install a sandbox", async () => {
    const { home, env } = machine({ codex: says("codex-cli 0.166.0"), gemini: says("0.61.0") });
    const guardsWith = async (...config: string[]) => {
      const given = config.flatMap((pair) => ["--config", pair]);
      const ran = await home.runHere(["agents", "--json", ...given], { env });
      const { agents, sandbox } = JSON.parse(ran.stdout) as {
        agents: { name: string; guard?: { kind: string } }[];
        sandbox: object;
      };
      const kinds = agents.flatMap(({ name, guard }) =>
        ["codex", "gemini", "scout"].includes(name) ? [[name, guard?.kind]] : [],
      );
      return { sandbox, kinds: Object.fromEntries(kinds) as Record<string, string | undefined> };
    };
    const [auto, required, off] = await Promise.all([
      guardsWith(),
      guardsWith("sandbox=require"),
      guardsWith("sandbox=off"),
    ]);
    expect(auto.kinds).toEqual({ scout: undefined, codex: "own_mode", gemini: "unknown" });
    expect(auto.sandbox).toMatchObject({ mode: "auto", available: false, reason: expect.stringContaining("bwrap") });
    expect(required.kinds).toEqual({ scout: undefined, codex: "none", gemini: "none" });
    expect(off).toMatchObject({ kinds: auto.kinds, sandbox: { mode: "off" } });
    const { stdout } = await home.runHere(["doctor"], { env });
    expect(stdout).toMatch(/\nsandbox: none\. bwrap \(bubblewrap\) is not installed\./);
    expect(stdout).toContain("  codex: own read-only mode (its own sandbox, where that works; bwrap");
    expect(stdout).toContain("  gemini: not known yet (");
  });

  test("the server's list names installed agents and starts none", async () => {
    const { home, env, calls } = machine({ claude: says("2.1.325"), pi: says("1.5.0") });
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [name, value] of Object.entries({ ...home.env, ...env })) vi.stubEnv(name, value);
    const names = new Set((await findListedAgents({ directory: home.project })).map(({ name }) => name));
    expect([names.has("claude"), names.has("pi"), calls()]).toEqual([true, true, []]);
  });

  test("a program's version output reaches the screen without escape sequences, and a bad one fails nothing", async () => {
    const { home, env } = machine({
      claude: "printf '\\033]0;owned\\007\\033[31mnonsense\\n'",
      codex: "printf '\\033[2Jbroken\\n' >&2; exit 1",
    });
    const ran = await home.runHere(["agents"], { env });
    expect([ran.code, ran.stderr, ran.stdout.includes("\u001b")]).toEqual([0, "", false]);
    expect(ran.stdout).toContain('  claude  version unknown: --version printed "nonsense"\n');
    expect(ran.stdout).toContain("  codex   version unknown: --version exited with 1: broken\n");
  });
});

describe.skipIf(process.platform === "win32")("trying a member", () => {
  test("agents test runs one short turn, prints time to first text, answer and usage, and stores no session", async () => {
    const { home, env } = machine({});
    const text = await home.runHere(["agents", "test", "scout"], { env });
    expect([text.code, text.stderr]).toEqual([0, ""]);
    expect(text.stdout).toMatch(
      /^scout \(embedded\): answered\n {2}first text {2}\d+ ms\n {2}total time {2}\d+ ms\n {2}answer {6}\S.*\n {2}usage {7}.+\n$/,
    );
    const json = await home.runHere(["agents", "test", "scout", "--json"], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({
      name: "scout",
      kind: "embedded",
      outcome: "answered",
      firstTextMs: expect.any(Number),
      totalMs: expect.any(Number),
    });
    expect((await home.runHere(["sessions", "list", "--json"], { env })).stdout.trim()).toBe("[]");
  });

  test("a member that fails exits with 1 and shows the error", async () => {
    const { home, env } = machine({ pi: "read -r line; echo 'no such model' >&2; exit 1" });
    const ran = await home.runHere(["agents", "test", "pi"], { env });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^pi \(pi\): failed\n {2}first text {2}none\n/);
    expect(ran.stdout).toMatch(/\n {2}error {7}\S/);
    expect(ran.stdout).toContain("no such model");
  });

  test("a silent member is stopped at the time limit with everything it started, and the exit code is 3", async () => {
    const { home, env } = machine({ pi: '/bin/sleep 300 & echo $! $$ > "$HOME/started"; wait' });
    const started = join(home.directory, "started");
    const pids = () => (existsSync(started) ? readFileSync(started, "utf8").match(/\d+/g) : null) ?? [];
    // On a busy machine the time may be over before it has started anything.
    for (let seconds = 2; pids().length === 0; seconds *= 2) {
      const ran = await home.run(["agents", "test", "pi", "--timeout", String(seconds)], { env });
      expect(ran.code).toBe(3);
      expect(ran.stdout).toContain("pi (pi): timed out\n");
      expect(ran.stdout).toContain("  what to do  Give it more time with --timeout SECONDS.\n");
    }
    expect([pids().length, pids().map(Number).filter(isRunning)]).toEqual([2, []]);
  });

  test("an unknown name is a usage error that lists the known ones", async () => {
    const { home, env } = machine({});
    const ran = await home.runHere(["agents", "test", "scuot"], { env });
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain(`there is no member "scuot" on this machine. Available: ${builtIn.join(", ")}`);
    expect(ran.stderr).toContain('Did you mean "scout"?');
  });
});

describe.skipIf(process.platform === "win32")("what dead runs left", () => {
  test("doctor lists the processes that a dead run left, changes nothing, and the next run ends them", async () => {
    const home = createHome();
    await home.run(["-p", "/try silence"]);
    const stray = leakProcess(home.dataDir, "ada");
    const text = await home.run(["doctor"]);
    expect([text.code, text.stderr]).toEqual([0, ""]);
    expect(text.stdout).toMatch(
      new RegExp(
        "\\n  1 orphaned process; ended by the next run\\n" +
          `    process ${stray.pid} of ada, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\nsandbox: `,
      ),
    );
    const json = await home.run(["doctor", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      isWhole: true,
      strays: [{ pid: stray.pid, member: "ada", hostPid: stray.hostPid, sinceTs: expect.any(Number) }],
    });
    expect(stray.isRunning()).toBe(true);
    const next = await home.run(["-p", "/try silence"]);
    expect([next.code, next.stderr, stray.isRunning()]).toEqual([0, "", false]);
  });
});

/** Ended, and merely not collected by whoever inherited it, is ended. */
function isRunning(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return state !== "" && !state.startsWith("Z");
}
