/** What a checkout says to agents reaches Claude Code, although nothing else of the checkout's settings does. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memoryDirectories, readAgentsNotes } from "../../../src/agents/drivers/claude/adapter.ts";
import { makeDataDir, removeDataDir } from "../process/start-fake.ts";
import { startClaude } from "./start-claude.ts";

function checkout(): { root: string; inner: string } {
  const root = realpathSync(makeDataDir());
  onTestFinished(() => removeDataDir(root));
  const inner = path.join(root, "packages", "one");
  mkdirSync(inner, { recursive: true });
  mkdirSync(path.join(root, ".git"));
  writeFileSync(path.join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  return { root, inner };
}

test("CLAUDE.md is looked for up to the checkout's root, and nowhere above", () => {
  const { root, inner } = checkout();
  expect(memoryDirectories(inner)).toEqual([".", "..", "../.."]);
  expect(memoryDirectories(root)).toEqual(["."]);
  expect(memoryDirectories(path.join(root, "missing"))).toEqual([".", ".."]);
});

test("sends AGENTS.md with the first prompt, unless there is a CLAUDE.md", async () => {
  const { root, inner } = checkout();
  writeFileSync(path.join(root, "AGENTS.md"), "use pnpm");
  writeFileSync(path.join(inner, "AGENTS.md"), "not this");
  writeFileSync(path.join(inner, "CLAUDE.md"), "but this");
  const notes = await readAgentsNotes(inner);
  expect(notes).toContain("> use pnpm");
  expect(notes).not.toContain("this\n");
  const probe = await startClaude({ dataDir: root });
  onTestFinished(() => probe.leave());
  await probe.run("hello");
  const greeting = probe.got().find(({ line }) => line?.includes('"initialize"') === true)?.line ?? "";
  expect(JSON.parse(greeting)).toMatchObject({
    request: { appendSystemPrompt: expect.stringContaining("> use pnpm") as string },
  });
});
