/** Who is found, who sits down, and what a person is told of it. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { embeddedMembers, findAgents } from "../../src/agents/index.ts";
import { leaveStray } from "../agents/leave-stray.ts";
import { createHome, onlyScout, type Home } from "./program.ts";

const builtIn = embeddedMembers.map((spec) => spec.name);
/** The model servers of the machine that runs the test: their ports are everybody's. */
const servers = (await findAgents({ env: {} })).found;
const serverPlaces = servers.map(({ spec, where }) => `${spec.name} (${where})`);
/** PATH is the programs of the test alone, so that what is installed here does not matter. */
function machine(
  programs: readonly string[],
  env: Record<string, string> = {},
): { home: Home; bin: string; env: Record<string, string> } {
  const home = createHome();
  home.configure({});
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  for (const name of programs) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho run > '${join(home.directory, "was-run")}'\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return { home, bin, env: { PATH: bin, ...env } };
}

describe.skipIf(process.platform === "win32")("finding members", () => {
  test("[X70] the first start tells on stderr who was found, who sits down, who cannot, and how to change it", async () => {
    const { home, bin, env } = machine(["claude", "gemini"], { OPENAI_API_KEY: "sk-secret" });
    const ran = await home.run(["-p", "/try silence"], { env });
    expect(ran.code).toBe(0);
    const programs = [`claude (${join(bin, "claude")})`, `gemini (${join(bin, "gemini")})`];
    const found = [...programs, "OPENAI_API_KEY", ...serverPlaces].join(", ");
    const cannot = ["claude", "gemini", "openai-api", ...servers.map(({ spec }) => spec.name)].join(", ");
    expect(ran.stderr).toBe(
      [
        "roundtable: first start, no members are configured.",
        `  found      ${found}`,
        `  sit down   ${builtIn.join(", ")}: built in, rule-based, without model, key or network`,
        `  not yet    ${cannot}: cannot be seated by this version`,
        `  change it  --members NAMES, or council.members in ${home.configFile}`,
        "             roundtable agents lists them again; roundtable config show --origin says what is set where",
        "",
      ].join("\n"),
    );
    for (const name of builtIn) expect(ran.stdout).toContain(`● ${name}\n`);
    expect(existsSync(join(home.directory, "was-run"))).toBe(false);
    const again = await home.run(["-p", "/try silence"], { env });
    expect([again.code, again.stderr]).toEqual([0, ""]);
  });

  test.skipIf(servers.length > 0)("[X70] on a bare machine it says that nothing was found", async () => {
    const { home, env } = machine([]);
    const ran = await home.run(["-p", "/try silence"], { env });
    expect(ran.stderr).toContain("  found      no agent program on PATH, no API key, no local model server\n");
    expect(ran.stderr).not.toContain("not yet");
  });

  test.each([
    ["JSON", ["--json"], {}],
    ["stream-json", ["--output-format", "stream-json"], {}],
    ["--members", ["--members", "scout"], {}],
    ["configured members", [], onlyScout],
    ["configured agents", [], { agents: { ada: { kind: "embedded", model: "scout" } } }],
  ])("[X71] with %s nothing is told", async (_what, flags, config) => {
    const { home, env } = machine(["claude"]);
    home.configure(config);
    const ran = await home.run(["-p", "/try silence", ...flags], { env });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
  });

  test("[X72] agents lists who is here and who sits down, at any time, and makes no data directory", async () => {
    const { home, bin, env } = machine(["codex"], { GEMINI_API_KEY: "sk-secret" });
    const ran = await home.run(["agents"], { env });
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const rows = ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(rows).toEqual([
      ["NAME", "KIND", "SEAT", "WHERE"],
      ...builtIn.map((name) => [name, "embedded", "sits down", "built in"]),
      ["codex", "codex", "not in this version", join(bin, "codex")],
      ["gemini-api", "openai", "not in this version", "GEMINI_API_KEY"],
      ...servers.map(({ spec, where }) => [spec.name, spec.kind, "not in this version", where]),
    ]);
    expect(readdirSync(home.directory)).not.toContain("data");
    expect(existsSync(join(home.directory, "was-run"))).toBe(false);
  });

  test("[X72] agents --json says the same for programs, with the configuration in effect", async () => {
    const { home, env } = machine(["codex", "claude"]);
    home.configure({
      council: { members: ["ada"] },
      agents: { ada: { kind: "embedded", model: "scout" }, claude: { kind: "claude" } },
    });
    const ran = await home.run(["agents", "--json"], { env });
    const { agents, unanswered } = JSON.parse(ran.stdout) as {
      agents: Record<string, unknown>[];
      unanswered: string[];
    };
    expect(unanswered).toEqual([]);
    expect(agents.slice(builtIn.length).filter((one) => one["foundBy"] !== "server")).toEqual([
      {
        name: "ada",
        kind: "embedded",
        foundBy: "configuration",
        where: expect.stringContaining(`${home.configFile}:1:`),
        canBeSeated: true,
        sitsDown: true,
      },
      {
        name: "claude",
        kind: "claude",
        foundBy: "configuration",
        where: expect.stringContaining(`${home.configFile}:1:`),
        canBeSeated: false,
        whyNot: "kind claude cannot be seated by this version",
        sitsDown: false,
      },
      {
        name: "codex",
        kind: "codex",
        foundBy: "program",
        where: join(env["PATH"] ?? "", "codex"),
        canBeSeated: false,
        whyNot: "kind codex cannot be seated by this version",
        sitsDown: false,
      },
    ]);
    expect(agents.slice(0, builtIn.length).map((one) => [one["name"], one["sitsDown"]])).toEqual(
      builtIn.map((name) => [name, false]),
    );
  });

  test("[X73] doctor lists the processes that a dead run left, changes nothing, and the next run ends them", async () => {
    const home = createHome();
    await home.run(["-p", "/try silence"]);
    const stray = leaveStray(home.dataDir, "ada");
    const text = await home.run(["doctor"]);
    expect([text.code, text.stderr]).toEqual([0, ""]);
    expect(text.stdout).toMatch(
      new RegExp(
        "\\n  1 process that an ended run left behind; the next run ends them\\n" +
          `    process ${stray.pid} of ada, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\n$`,
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
