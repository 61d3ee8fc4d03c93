/** In a directory with kingdom's thread files the user is asked once whether sessions are mirrored there. */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createHome, type Home } from "../../../test/cli/program.ts";
import { keys } from "../../../test/tui/key-bytes.ts";
import { openTestTerminal, until } from "../../../test/tui/test-terminal.ts";

const QUESTION = "Mirror Roundtable sessions there? [y/N]";

function homeWithTree(): Home {
  const home = createHome();
  mkdirSync(path.join(home.project, ".git"), { recursive: true });
  mkdirSync(path.join(home.project, ".kd", "branches"), { recursive: true });
  return home;
}

function threadsOf({ project }: Home): string[] {
  const threads = path.join(project, ".kd", "branches", "main", "threads");
  return existsSync(threads) ? readdirSync(threads).map((name) => path.join(threads, name)) : [];
}

test("yes mirrors the directory's sessions and is not asked again", async ({ onTestFinished: after }) => {
  const home = homeWithTree();
  const first = openTestTerminal(after, { home, columns: 160 });
  await first.sees(QUESTION);
  first.type(`y${keys.enter}`);
  await first.sees(/read-only|can edit/);
  first.type(`Where is main?${keys.enter}`);
  await until("the thread has the question and the answer", () => {
    const [dir] = threadsOf(home);
    const files = dir === undefined ? [] : readdirSync(dir).filter((name) => name.endsWith(".md"));
    return files.toSorted().join() === "0001-king.md,0002-scout.md";
  });
  process.kill(first.programPid, "SIGTERM");
  await first.sees(/exit \d+/);
  const second = openTestTerminal(after, { home, args: ["chat", "--new"], columns: 160 });
  await second.sees(/read-only|can edit/);
  expect(second.text()).not.toContain(QUESTION);
  second.type(`Where is it now?${keys.enter}`);
  await until("the new session has a thread too", () => threadsOf(home).length === 2);
});

test("no is remembered, and nothing is asked when threads.mirror is configured", async ({ onTestFinished: after }) => {
  const home = homeWithTree();
  const first = openTestTerminal(after, { home, columns: 160 });
  await first.sees(QUESTION);
  first.type(keys.enter);
  await first.sees(/read-only|can edit/);
  process.kill(first.programPid, "SIGTERM");
  await first.sees(/exit \d+/);
  const second = openTestTerminal(after, { home, columns: 160 });
  await second.sees(/read-only|can edit/);
  expect([second.text().includes(QUESTION), threadsOf(home)]).toEqual([false, []]);
  const configured = homeWithTree();
  configured.configure({ council: { members: ["scout"] }, threads: { mirror: false } });
  const third = openTestTerminal(after, { home: configured, columns: 160 });
  await third.sees(/read-only|can edit/);
  expect(third.text()).not.toContain(QUESTION);
});
