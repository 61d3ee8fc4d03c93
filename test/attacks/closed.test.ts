/**
 * What stays closed in a writable session is as it was after each line, and what was planted is gone. A few here, all in
 * torture.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isGoverned } from "../../src/agents/sandbox/governed/is-governed.ts";
import { GovernedWatch } from "../../src/agents/sandbox/governed/watch.ts";
import { asUser, hasBwrap } from "../agents/sandbox/inside.ts";
import { rounds } from "../rounds.ts";
import { attackGround } from "./attack-ground.ts";
import { closed, closedOnTheMachine } from "./closed.ts";
import { furtherClosed } from "./further.ts";
import { changes, leftRunning, scriptOf } from "./ground-files.ts";

const all = [...closed, ...furtherClosed, ...closedOnTheMachine];
const STEP = rounds(9, 1);
const tried = all.filter((_line, at) => at % STEP === 0);

/** In git's own directory the rest is work; configuration that was made there may stay without what runs something. */
const CLOSED_IN_GIT = /^work\/\.git\/(?:hooks|config|commondir|info\/attributes)(?:$|\/)/;

function isClosed(name: string): boolean {
  if (name === "work") return false;
  if (name.startsWith("work/.git/")) return CLOSED_IN_GIT.test(name);
  // A repository that was made is judged by other tests.
  if (/^(?:data|quarantine)(?:$|\/)|\/\.git(?:$|\/)/.test(name)) return false;
  return !name.startsWith("work/") || isGoverned(name);
}

/** Names that are not as they were. */
async function effectsOf(line: string): Promise<string[]> {
  const ground = attackGround();
  const { workspace, write, make } = ground;
  for (const name of ["AGENTS.md", ".github/ci.yml", "a/b/c/d/e/AGENTS.md"]) write(`work/${name}`, "be good\n");
  const env = { PATH: process.env["PATH"], HOME: ground.home };
  execFileSync("sh", ["-c", "git add . && git commit -qm two"], { ...asUser, cwd: workspace, env });
  await ground.run("true", { isWritable: true });
  const watch = new GovernedWatch(workspace);
  watch.begin("ann");
  const before = ground.picture();
  const script = scriptOf([line], { cwd: workspace, outside: ground.outside });
  const ran = await ground.run(script, { isWritable: true, program: "/bin/bash" });
  expect(ran).toMatchObject({ kind: "ran", out: "tried 1" });
  watch.end("ann", { isSandboxed: true, quarantine: make("quarantine") });
  const left = leftRunning(ground.root).map(({ command }) => command);
  const made = path.join(workspace, ".git", "config.worktree");
  const evil = existsSync(made) && readFileSync(made, "utf8").includes("evil") ? [made] : [];
  return [...changes(before, ground.picture()).filter(isClosed), ...evil, ...left];
}

describe.skipIf(!hasBwrap)("in a writable session", () => {
  test(`[B1] ${tried.length} of ${all.length} lines change nothing that stays closed`, async () => {
    const effects: Record<string, string[]> = {};
    for (const line of tried) {
      const names = await effectsOf(line);
      if (names.length > 0) effects[line] = names;
    }
    expect(effects).toEqual({});
  });
});
