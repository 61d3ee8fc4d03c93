/** Cursor's fallback: one program for each turn, on one that prints as Cursor's does. */
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { agentContract } from "../agent.contract.ts";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/seat-fake.ts";
import { createAcpFake, seatAcpFake, type AcpFakeOptions, type SeatedAcp } from "./seat-acp-fake.ts";

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));
const printing: AcpFakeOptions = { kind: "cursor", fake: "cursor-print.mjs", flags: ["-p"] };

agentContract("kind cursor, printing", {
  create: () => Promise.resolve(createAcpFake(dataDir, printing)),
  createUnable: () =>
    Promise.resolve(createAcpFake(dataDir, { ...printing, command: [path.join(dataDir, "nothing-here"), "-p"] })),
  says: { short: "hello", endless: "a long one", endlessTool: "tool", request: null, steerable: null },
});

const seated: SeatedAcp[] = [];
afterEach(async () => {
  for (const table of seated.splice(0)) expect(await table.leave()).toEqual([]);
});
async function seat(options: AcpFakeOptions = {}): Promise<SeatedAcp> {
  const table = await seatAcpFake({ ...printing, ...options });
  seated.push(table);
  return table;
}

test("what is printed twice is said once, around thoughts and tools", async () => {
  const table = await seat();
  await table.run("steps");
  const [guard, ...events] = table.events;
  expect(guard).toMatchObject({ type: "member_guard", guard: "unguarded" });
  expect(events).toEqual([
    { type: "member_session", nativeSessionId: "cursor-session-1" },
    { type: "thinking_delta", text: "Hm" },
    { type: "thinking_done" },
    { type: "text_delta", text: "Let me " },
    { type: "text_delta", text: "look." },
    { type: "text_done" },
    { type: "tool_call_start", nativeId: "t1\nx", name: "read", args: { path: "a.txt" }, kind: "read", title: "a.txt" },
    { type: "tool_result", nativeId: "t1\nx", ok: true, result: "hello" },
    { type: "text_delta", text: "It says " },
    { type: "text_delta", text: "hello." },
    { type: "text_done" },
    {
      type: "turn_done",
      turnId: "turn-1",
      outcome: "completed",
      usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 1, cacheWriteTokens: 0 },
    },
  ]);
});

test("a program that leaves without a result has failed, and its last words say why", async () => {
  const table = await seat();
  const { outcome, error } = await table.run("failure");
  expect({ outcome, detail: error?.detail }).toEqual({ outcome: "errored", detail: "Error: not logged in" });
});

test("arguments are fixed but for model and session, and a read-only session answers in the mode for that", async () => {
  const table = await seat({ flags: ["-p", "--digest"], seat: { writable: false }, spec: { model: "sonnet-4" } });
  await table.run("one", "one");
  await table.run("two", "two");
  const words = table.all("text_delta").map(({ text }) => (JSON.parse(text) as { argv: string[] }).argv);
  const fixed = ["-p", "--digest", "--output-format", "stream-json", "--stream-partial-output"];
  const chosen = ["--mode", "ask", "--model", "sonnet-4"];
  expect(words).toEqual([
    [...fixed, ...chosen],
    [...fixed, ...chosen, "--resume", "cursor-session-1"],
  ]);
});

test("a writable session is never told to act without asking", async () => {
  const table = await seat({ flags: ["-p", "--digest"] });
  await table.run("one");
  expect((JSON.parse(table.text()) as { argv: string[] }).argv).toEqual([
    "-p",
    "--digest",
    "--output-format",
    "stream-json",
    "--stream-partial-output",
  ]);
});

test("[A50] after every contract test nothing that it started runs", () => {
  expect(markedProcesses(dataDir)).toEqual([]);
});

test("a chat that Cursor does not find begins anew with everything that was said, and one that it replaces without a word is said", async () => {
  const afresh = (): { systemPrompt: string } => ({ systemPrompt: "You sit at a table." });
  const lost = await seat({ seat: { nativeSessionId: "forgotten" } });
  lost.agent.send({ kind: "turn", turnId: "one", text: "hello", attachments: [], coldStart: afresh });
  expect((await lost.next("turn_done")).outcome).toBe("completed");
  expect(lost.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  expect(lost.text()).toMatch(/^you said: You sit at a table\.[^]*hello$/);
  const silent = await seat({ seat: { nativeSessionId: "silently-gone" } });
  expect((await silent.run("hello")).outcome).toBe("completed");
  expect(silent.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  expect(silent.all("member_session").map(({ nativeSessionId }) => nativeSessionId)).toEqual(["cursor-session-2"]);
  const kept = await seat({ seat: { nativeSessionId: "kept" } });
  await kept.run("hello");
  expect(kept.all("warning")).toEqual([]);
});
