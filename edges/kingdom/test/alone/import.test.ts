/** Threads of kingdom become sessions; their files are unchanged. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { readTranscript } from "../../../../src/host/index.ts";
import { importThread } from "../../import-thread.ts";
import { listThreads } from "../../list-threads.ts";
import { loadedMessages, turnText } from "../../../../src/transcript/index.ts";
import { newDataDir } from "../../../../test/host/open-host.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "../../../../test/host/scripted-agent.ts";

const message = (from: string, to: string, second: number, body: string) =>
  `---\nfrom: ${from}\nto: ${to}\ntimestamp: 2026-02-15T10:00:0${second}Z\n---\n\n${body}\n`;

function newThread(): string {
  const dir = path.join(
    mkdtempSync(path.join(tmpdir(), "rt-import-")),
    ".kd",
    "branches",
    "main",
    "threads",
    "council-3908",
  );
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    path.join(dir, "thread.json"),
    '{"id": "council-3908", "members": ["king", "claude"], "pattern": "council"}',
  );
  writeFileSync(path.join(dir, "0001-king.md"), message("king", "all", 1, "What about X?\n\nMore."));
  writeFileSync(path.join(dir, "0002-claude.md"), message("claude", "king", 2, "X is fine."));
  writeFileSync(path.join(dir, "0003-codex.md"), "half a fi");
  writeFileSync(path.join(dir, "0004-codex.md"), message("codex", "king", 4, "*Error: Timeout after 600s*"));
  return dir;
}

function bytesOf(dir: string): Record<string, string> {
  return Object.fromEntries(readdirSync(dir).map((file) => [file, readFileSync(path.join(dir, file), "utf8")]));
}

async function bring(dataDir: string, threadDir: string) {
  const options = {
    cwd: path.dirname(threadDir),
    settings: SETTINGS,
    members: [ECHO],
    agentFactory: createScriptedAgent,
  };
  return await importThread({ dataDir, threadDir, ...options });
}

/** Who said what, when, and how it ended. */
async function told(dataDir: string, sessionId: string): Promise<unknown[]> {
  const transcript = await readTranscript(dataDir, sessionId);
  return [...loadedMessages(transcript)].flatMap((one): unknown[][] => {
    if (one.kind === "user") return [[new Date(one.ts).toISOString(), "user", one.text, one.origin]];
    if (one.kind === "notice")
      return one.event.type === "warning" ? [[(one.event as { message: string }).message]] : [];
    return [[new Date(one.ts).toISOString(), one.member, turnText(one), one.origin, one.end?.outcome]];
  });
}

test("a thread becomes a session with its speakers, times, outcomes and damage, and its files stay as they are", async () => {
  const [dataDir, dir] = [newDataDir(), newThread()];
  const before = bytesOf(dir);
  const { sessionId, ...rest } = await bring(dataDir, dir);
  const damage = "council-3908/0003-codex.md is damaged: it does not begin with front matter.";
  expect(rest).toEqual({ isNew: true, added: 4, warnings: [damage] });
  expect(await told(dataDir, sessionId)).toEqual([
    ["2026-02-15T10:00:01.000Z", "user", "What about X?\n\nMore.", "kd:council-3908/0001-king.md"],
    ["2026-02-15T10:00:02.000Z", "claude", "X is fine.", "kd:council-3908/0002-claude.md", "completed"],
    [expect.any(String), "codex", "half a fi", "kd:council-3908/0003-codex.md", "completed"],
    [damage],
    ["2026-02-15T10:00:04.000Z", "codex", "", "kd:council-3908/0004-codex.md", "timed_out"],
  ]);
  expect(bytesOf(dir)).toEqual(before);
});

test("the same thread, or a copy of it, is the same session; only what is new is added", async () => {
  const [dataDir, dir] = [newDataDir(), newThread()];
  const first = await bring(dataDir, dir);
  expect(await bring(dataDir, dir)).toEqual({ ...first, isNew: false, added: 0, warnings: [] });
  const copy = path.join(mkdtempSync(path.join(tmpdir(), "rt-copy-")), "council-3908");
  cpSync(dir, copy, { recursive: true });
  writeFileSync(path.join(copy, "0005-king.md"), message("king", "all", 5, "And now?"));
  expect(await bring(dataDir, copy)).toEqual({ ...first, isNew: false, added: 1, warnings: [] });
  expect((await told(dataDir, first.sessionId)).at(-1)).toEqual([
    "2026-02-15T10:00:05.000Z",
    "user",
    "And now?",
    "kd:council-3908/0005-king.md",
  ]);
});

test("threads are found from a thread, a tree, or a directory below one, also archived and without thread.json", async () => {
  const dir = newThread();
  const kd = path.resolve(dir, "../../../..");
  const archived = path.join(kd, "archive", "old", "threads", "council-0001");
  mkdirSync(archived, { recursive: true });
  writeFileSync(path.join(archived, "0001-king.md"), message("king", "all", 1, "x"));
  mkdirSync(path.join(kd, "branches", "main", "threads", "empty"));
  const all = await listThreads(path.dirname(kd));
  expect(all).toEqual([
    {
      dir,
      id: "council-3908",
      branch: "main",
      isArchived: false,
      messages: 4,
      members: ["claude"],
      hasThreadFile: true,
    },
    {
      dir: archived,
      id: "council-0001",
      branch: "old",
      isArchived: true,
      messages: 1,
      members: [],
      hasThreadFile: false,
    },
  ]);
  expect(await listThreads(kd)).toEqual(all);
  expect((await listThreads(dir)).map(({ id }) => id)).toEqual(["council-3908"]);
  expect(await listThreads(mkdtempSync(path.join(tmpdir(), "rt-none-")))).toEqual([]);
});

test("a directory without messages is a one-sentence error", async () => {
  const empty = mkdtempSync(path.join(tmpdir(), "rt-empty-"));
  await expect(bring(newDataDir(), empty)).rejects.toThrow("holds no messages, so there is nothing to import");
});
