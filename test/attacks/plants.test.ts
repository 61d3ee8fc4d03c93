/** What a member plants in its agent's home, in a read-only and in a writable session, is not there afterwards. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { GovernedWatch } from "../../src/agents/sandbox/governed/watch.ts";
import { asUser, hasBwrap, scratch, type Scratch } from "../agents/sandbox/inside.ts";
import { rounds } from "../rounds.ts";
import { changes, pictureOf } from "./ground-files.ts";
import { GIT_USES, gitLinks, gitPlants, homePlants, plantScript } from "./plants.ts";

const FEW = new Set(["claude", "gemini"]);
const agents = Object.keys(homePlants).filter((agent) => rounds(Number(FEW.has(agent)), 1) === 1);

/** What an agent or its user would take for theirs. */
function planted(home: string, names: readonly string[]): string[] {
  return names.filter((name) => lstatSync(path.join(home, name), { throwIfNoEntry: false }) !== undefined);
}

function recordsOf({ home }: Scratch): string[] {
  const records = path.join(home, "..", "data", "placeholders");
  return existsSync(records) ? readdirSync(records) : [];
}

describe.skipIf(!hasBwrap)("in an agent's home", () => {
  test.each(agents)("no configuration of %s can be planted, and nothing of ours is left", async (agent) => {
    const names = homePlants[agent] ?? [];
    for (const isWritable of [false, true]) {
      const ground = scratch();
      const ran = await ground.run(plantScript(names), { agent, isWritable, program: "/bin/bash" });
      expect(ran).toMatchObject({ kind: "ran", out: "tried" });
      expect(planted(ground.home, names)).toEqual([]);
      expect(recordsOf(ground)).toEqual([]);
    }
  });

  test("what the user has is as it was, and programs in the state cannot be rewritten", async () => {
    const ground = scratch();
    const { home, write, run } = ground;
    const own = {
      "settings.json": '{ "a": 1 }',
      "CLAUDE.md": "be good\n",
      "statusline.sh": "date\n",
      "tools/a.py": "1",
    };
    for (const [name, text] of Object.entries(own)) write(`home/.claude/${name}`, text);
    const names = [...(homePlants["claude"] ?? []), ".claude/statusline.sh", ".claude/tools/a.py"];
    await run(plantScript(names), { agent: "claude", program: "/bin/bash" });
    for (const [name, text] of Object.entries(own)) {
      expect(readFileSync(path.join(home, ".claude", name), "utf8")).toBe(text);
    }
    expect(planted(home, names)).toHaveLength(Object.keys(own).length);
  });

  test("a name that takes the place of the user's own instructions is set aside", async () => {
    const { home, write, run } = scratch();
    write("home/.pi/agent/CLAUDE.md", "be good\n");
    write("home/.env", "KEY=1\n");
    await run(
      "cat ~/.pi/agent/CLAUDE.md; ls ~/.pi/agent > ~/.pi/agent/sessions-list; echo evil > ~/.pi/agent/AGENTS.md",
      {
        agent: "pi",
      },
    );
    expect(readFileSync(path.join(home, ".pi/agent/sessions-list"), "utf8")).not.toMatch(/AGENTS/);
    expect(planted(home, [".pi/agent/AGENTS.md", ".pi/agent/AGENTS.override.md"])).toEqual([]);
    await run("ls -A ~/.gemini > ~/.gemini/state; echo evil > ~/.gemini/.env", { agent: "gemini" });
    expect(readFileSync(path.join(home, ".gemini/state"), "utf8")).not.toMatch(/^\.env$/m);
    expect(planted(home, [".gemini/.env"])).toEqual([]);
  });

  test("configuration inside of a state file is put back, and the rest of it stays", async () => {
    const { home, write, run } = scratch();
    write("home/.pi/agent/auth.json", '{"a":{"type":"api_key","key":"1"},"mine":{"type":"api_key","key":"!pass a"}}');
    const auth = { a: { type: "api_key", key: "!touch /tmp/x" }, b: { type: "oauth", access: "2" }, c: { key: "!x" } };
    await run(`echo '${JSON.stringify(auth)}' > ~/.pi/agent/auth.json`, { agent: "pi" });
    expect(JSON.parse(readFileSync(path.join(home, ".pi/agent/auth.json"), "utf8"))).toEqual({
      a: { type: "api_key", key: "1" },
      b: { type: "oauth", access: "2" },
      mine: { type: "api_key", key: "!pass a" },
    });
    const login = { ok: { type: "api", key: "1" }, "https://evil": { type: "wellknown", key: "A", token: "b" } };
    await run(`echo '${JSON.stringify(login)}' > ~/.local/share/opencode/auth.json`, { agent: "opencode" });
    const file = path.join(home, ".local/share/opencode/auth.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ok: { type: "api", key: "1" } });
  });
});

const LINKS = ["history.jsonl", "projects/p/x.jsonl", "todos"];

test.skipIf(!hasBwrap)("links by which an agent would write elsewhere are set aside; its own stay", async () => {
  const { home, write, run } = scratch();
  write("home/.bashrc", "mine\n");
  write("home/.claude/history.jsonl", "{}\n");
  const plant = LINKS.map((name) => `mkdir -p $(dirname ${name}); ln -sfn ~/.bashrc ${name}`).join("; ");
  await run(`cd ~/.claude; ${plant}; echo x > kept; ln -s kept inside; ln -s /bin/sh program`, { agent: "claude" });
  expect(planted(path.join(home, ".claude"), [...LINKS, "kept", "inside", "program"])).toEqual([
    "kept",
    "inside",
    "program",
  ]);
});

describe.skipIf(!hasBwrap)("in repositories of an agent's own", () => {
  test.each([
    ["gemini", ".gemini/history/p"],
    ["opencode", ".local/share/opencode/snapshot/p/q"],
    ["codex", ".codex/.tmp/plugins"],
  ])("%s runs nothing that was planted in %s", async (agent, folder) => {
    const { home, write, run } = scratch();
    write(`home/${folder}/.git/HEAD`, "ref: refs/heads/main\n");
    write(`home/${folder}/.git/objects/x`, "");
    write(`home/${folder}/.git/config`, "[core]\n\tbare = false\n");
    const evil = "[core]\\n\\tfsmonitor = evil\\n[user]\\n\\tname = kept\\n";
    await run(
      `cd ~/${folder}; printf '${evil}' >> .git/config; printf '${evil}' > .gitconfig; mkdir .git/hooks; touch .git/hooks/pre-commit`,
      { agent },
    );
    for (const file of [".git/config", ".gitconfig"]) {
      const text = readFileSync(path.join(home, folder, file), "utf8");
      expect([text.includes("kept"), text.includes("evil")]).toEqual([true, false]);
    }
    expect(readdirSync(path.join(home, folder, ".git/hooks"))).toEqual([]);
  });
});

const GIT_STEP = rounds(2, 1);
const gitTried = gitPlants.filter((_plant, at) => at % GIT_STEP === 0);

/** Plants it, lets it be judged or not, and uses git there. Whether the planted program ran. */
function runsLater(plant: string, isJudged: boolean): boolean {
  const { home, workspace, write, make } = scratch();
  const mark = path.join(make("marks"), "ran");
  const program = write("marks/program", `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(program, 0o755);
  // These count only where the configuration names nothing.
  const harmless = { EDITOR: "true", PAGER: "cat", GIT_SSH: "/bin/false", GIT_TERMINAL_PROMPT: "0" };
  const env = { PATH: process.env["PATH"], HOME: home, C: program, ...harmless };
  const shell = (line: string, cwd: string) => spawnSync("sh", ["-c", line], { ...asUser, cwd, env, encoding: "utf8" });
  write("home/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n[safe]\n\tdirectory = *\n");
  shell("git init -q . && echo one > file && git add . && git commit -qm one", workspace);
  const watch = new GovernedWatch(workspace);
  watch.begin("ann");
  const directory = shell(plant, workspace).stdout.trim();
  rmSync(mark, { force: true });
  if (isJudged) watch.end("ann", { isSandboxed: true, quarantine: make("quarantine") });
  write(`work/${directory}/file`, "two\n");
  shell(GIT_USES, path.join(workspace, directory));
  return existsSync(mark);
}

test(`${gitTried.length} of ${gitPlants.length} planted git settings and hooks run nothing later, and would have`, () => {
  expect(gitTried.filter((plant) => !runsLater(plant, false))).toEqual([]);
  expect(gitTried.filter((plant) => runsLater(plant, true))).toEqual([]);
});

/** Plants the link, lets it be judged or not, and uses git there. Whether git wrote to the home directory. */
function writesHome(plant: string, isJudged: boolean): boolean {
  const { home, workspace, write, make } = scratch();
  const env = { PATH: process.env["PATH"], HOME: home, EDITOR: "true", PAGER: "cat" };
  const shell = (line: string) => spawnSync("sh", ["-c", line], { ...asUser, cwd: workspace, env });
  write("home/.gitconfig", "[user]\n\tname = A\n\temail = a@example.com\n[safe]\n\tdirectory = *\n");
  write("home/.bashrc", "mine\n");
  shell("git init -q . && echo one > file && git add . && git commit -qm one");
  const watch = new GovernedWatch(workspace);
  watch.begin("ann");
  shell(plant);
  if (isJudged) watch.end("ann", { isSandboxed: true, quarantine: make("quarantine") });
  const before = pictureOf(home);
  write("work/file", "two\n");
  shell(GIT_USES);
  return changes(before, pictureOf(home)).length > 0;
}

const linksTried = gitLinks.filter((_plant, at) => at % GIT_STEP === 0);

test(`${linksTried.length} of ${gitLinks.length} planted links lead git nowhere later, and would have`, () => {
  expect(linksTried.filter((plant) => !writesHome(plant, false))).toEqual([]);
  expect(linksTried.filter((plant) => writesHome(plant, true))).toEqual([]);
});
