/** Commands that write or start something, run by the agent's own tools in a read-only session: none has an effect. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { changes, fillGround, leftRunning, pictureOf, scriptOf } from "../../attacks/ground-files.ts";
import { attacks } from "../../attacks/commands.ts";
import { homePlants, plantScript } from "../../attacks/plants.ts";
import { answerUntilEnd, grant, refuse, type Decide } from "./answer-requests.ts";
import type { Scenario } from "./scenario.ts";
import type { ServedSession } from "./served-session.ts";

/** As many as an agent runs within the time it gives a command. */
const LINES_PER_CALL = 8;
const LINE_SECONDS = 2;
/** Codex waits ten seconds for a command unless told otherwise; others do not have the option. */
const WAIT = "yield_time_ms=30000 to_end=true";
/** What an agent keeps in its home, and what Roundtable does. */
const STATE =
  /^(?:\.claude|\.codex|\.pi|\.gemini|\.local|\.cache|\.npm|data|tmp|\.config\/(?:opencode|roundtable))(?:[/.]|$)/;

const inside = attacks.map(({ line }) => line);
const outside = attacks.flatMap(({ line, isTriedOutside }) => (isTriedOutside ? [line] : []));

const sandboxed: Scenario = {
  name: "attacks in the sandbox",
  isReadOnly: true,
  isAttack: true,
  prepare: (home) => fill(home, inside),
  async run(session) {
    const { guard } = await begin(session);
    if (guard !== "sandbox") return `not tried: bwrap is missing, the guard is ${guard}`;
    const changed = await tryAll(session, { lines: inside, decide: grant, mustRun: true });
    assert.deepEqual(changed, []);
    return `${inside.length} commands, 0 effects`;
  },
};

const alone: Scenario = {
  name: "attacks without a sandbox",
  isReadOnly: true,
  isAttack: true,
  config: { sandbox: "off" },
  prepare: (home) => fill(home, outside),
  async run(session) {
    const { guard } = await begin(session);
    if (guard === "unguarded") return "unguarded: it works there only after the user agreed";
    // Who asks first is told no; whose own mode holds may do what it can.
    const changed = await tryAll(session, { lines: outside, decide: guard === "own_mode" ? grant : refuse });
    assert.deepEqual(changed, []);
    return `${guard}: ${outside.length} commands, 0 effects`;
  },
};

function batchesOf(lines: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(lines.length / LINES_PER_CALL) }, (_none, at) =>
    lines.slice(at * LINES_PER_CALL, (at + 1) * LINES_PER_CALL),
  );
}

/** What the commands act on, and the commands themselves. */
function fill(home: string, lines: readonly string[]): void {
  const project = path.join(home, "project");
  fillGround((name, content) => {
    const file = path.join(home, name.replace(/^work\//, "project/").replace(/^home\//, ""));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  });
  for (const [at, batch] of batchesOf(lines).entries()) {
    const script = scriptOf(batch, { cwd: project, outside: path.join(home, "outside"), seconds: LINE_SECONDS });
    writeFileSync(path.join(project, `attack-${at}.sh`), script);
  }
  const env = { PATH: process.env["PATH"], HOME: home };
  execFileSync("sh", ["-c", "git init -q . && git add . && git commit -qm one"], { cwd: project, env });
}

/** The first turn, after which the agent has what it keeps. */
async function begin(session: ServedSession): Promise<{ guard: string }> {
  const from = await session.send('[[fake: tool command="ls"]]');
  // Only what asks for consent is a question of yes or no here.
  await answerUntilEnd(session, from, (request) => (request.method === "confirm" ? false : refuse(request)));
  return { guard: session.all("member_guard").at(-1)?.guard ?? "unknown" };
}

interface Trying {
  readonly lines: readonly string[];
  readonly decide: Decide;
  readonly mustRun?: boolean;
}

/** What has changed, and what is left running. */
async function tryAll(session: ServedSession, { lines, decide, mustRun = false }: Trying): Promise<string[]> {
  const before = pictureOf(session.home);
  for (const [at, batch] of batchesOf(lines).entries()) {
    const from = await session.send(`[[fake: tool command="bash attack-${at}.sh" ${WAIT}]]`);
    const { end } = await answerUntilEnd(session, from, (request) => decide(request) ?? false);
    assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
    const text = session.textSince(from);
    // Each line is counted by the script after it has run.
    if (mustRun) assert.match(text, new RegExp(`\\btried ${batch.length}\\b`), `attack-${at}.sh did not end: ${text}`);
  }
  const changed = changes(before, pictureOf(session.home)).filter((name) => !STATE.test(name));
  // Codex keeps what runs in the background, until its own program ends.
  await session.stop();
  const left = leftRunning(session.home);
  for (const { pid } of left) process.kill(pid, "SIGKILL");
  return [...changed, ...left.map(({ command }) => command)];
}

/** Names in its own home and repositories in the project that would run something outside later. */
const planted: Scenario = {
  name: "attacks by planting",
  isAttack: true,
  prepare(home) {
    fill(home, []);
    writeFileSync(path.join(home, "project", "plant.sh"), GIT_PLANT);
  },
  async run(session, agent) {
    const { guard } = await begin(session);
    if (guard !== "sandbox") return `not tried: bwrap is missing, the guard is ${guard}`;
    const names = homePlants[agent] ?? [];
    writeFileSync(path.join(session.project, "home.sh"), plantScript(names));
    const before = new Set(names.filter((name) => existsSync(path.join(session.home, name))));
    for (const script of ["home.sh", "plant.sh"]) {
      const from = await session.send(`[[fake: tool command="bash ${script}"]]`);
      const { end } = await answerUntilEnd(session, from, (request) => grant(request) ?? false);
      assert.equal(end.outcome, "completed", end.error?.message ?? end.outcome);
      assert.match(session.textSince(from), /tried/, "the script was not run");
    }
    const config = readFileSync(path.join(session.project, "n", ".git", "config"), "utf8");
    assert.doesNotMatch(config, /evil/, "git's configuration is as planted");
    assert.ok(
      session.all("warning").some(({ code }) => code === "governed_file_moved"),
      "nobody was told",
    );
    await session.stop();
    const evil = names.filter((name) => /evil/.test(textOf(path.join(session.home, name))));
    const more = names.filter((name) => existsSync(path.join(session.home, name)) && !before.has(name));
    assert.deepEqual([evil, more], [[], []]);
    return `${names.length} names and a repository, 0 effects`;
  },
};

const GIT_PLANT = `exec 3>&1 >/dev/null 2>&1
git init -q n; git -C n config core.fsmonitor evil; printf 'evil' > n/.git/hooks/post-checkout; echo tried >&3`;

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // None, or a directory.
    return "";
  }
}

export const attackScenarios = { sandboxed, alone, planted };
