import { existsSync, linkSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/kit/clock.ts";
import { removeOrphanedFiles, moveMessage, scanThread, writeMessage } from "./thread-directory.ts";

function newDir(...files: readonly string[]): string {
  const dir = mkdtempSync(path.join(tmpdir(), "rt-thread-"));
  for (const file of files) writeFileSync(path.join(dir, file), file);
  return dir;
}

const write = (dir: string, sender: string, content: string) =>
  writeMessage({ dir, sender, content, owner: "S", clock: systemClock });

test("a message takes the number after the highest, appears complete and leaves no other file", async () => {
  const dir = newDir("0001-king.md", "0007-claude.md", "00009-x.md", "notes.md");
  expect(await write(dir, "my_agent", "text")).toEqual({ number: 8, file: "0008-my-agent.md" });
  expect(readFileSync(path.join(dir, "0008-my-agent.md"), "utf8")).toBe("text");
  expect(readdirSync(dir).sort()).toEqual([
    "00009-x.md",
    "0001-king.md",
    "0007-claude.md",
    "0008-my-agent.md",
    "notes.md",
  ]);
});

test("a number claimed by a dead writer is skipped", async () => {
  const dir = newDir("0001-king.md", ".claim-0002.tmp");
  expect((await write(dir, "claude", "x")).number).toBe(3);
});

test("a message whose number another program took moves behind it unchanged", async () => {
  const dir = newDir("0001-king.md", "0002-king.md", "0002-claude.md");
  const moved = await moveMessage({ dir, sender: "king", owner: "S", clock: systemClock }, "0002-king.md");
  expect(moved).toEqual({ number: 3, file: "0003-king.md", content: "0002-king.md" });
  expect(readdirSync(dir).sort()).toEqual(["0001-king.md", "0002-claude.md", "0003-king.md"]);
  expect(readFileSync(path.join(dir, "0003-king.md"), "utf8")).toBe("0002-king.md");
});

test("a thread with 9,999 messages is full and says so", async () => {
  const dir = newDir("9999-king.md");
  await expect(write(dir, "king", "x")).rejects.toThrow("holds 9999 messages, as many as its readers can see");
  expect(readdirSync(dir)).toEqual(["9999-king.md"]);
});

test("leftover files of this session after a crash are removed, and no others", async () => {
  const dir = newDir(".roundtable-S-1.tmp", ".roundtable-T-1.tmp", ".claim-0009.tmp", "0001-king.md");
  for (const name of [".claim-0002.tmp", "0002-king.md", "0003-king.md"]) {
    linkSync(path.join(dir, ".roundtable-S-1.tmp"), path.join(dir, name));
  }
  await removeOrphanedFiles(dir, "S");
  expect(readdirSync(dir).sort()).toEqual([".claim-0009.tmp", ".roundtable-T-1.tmp", "0001-king.md", "0003-king.md"]);
  expect(existsSync(path.join(dir, "0003-king.md"))).toBe(true);
});

test("messages are read by number, then by name, and streams by their sender", async () => {
  const dir = newDir("0002-codex.md", "0002-claude.md", "0001-king.md", ".stream-codex.jsonl", "thread.json");
  const { messages, streams, others } = await scanThread(dir);
  expect(messages.map(({ file }) => file)).toEqual(["0001-king.md", "0002-claude.md", "0002-codex.md"]);
  expect([[...streams], others]).toEqual([[["codex", ".stream-codex.jsonl"]], ["thread.json"]]);
});
