/** Cursor's fallback: one program for each turn, on one that prints as Cursor's does. */
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { agentContract } from "../agent.contract.ts";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { createAcpFake, startAcpFake, type AcpFakeOptions, type AcpProbe } from "./start-acp-fake.ts";

const dataDir = makeDataDir();
afterAll(() => removeDataDir(dataDir));
const printing: AcpFakeOptions = { kind: "cursor", fake: "cursor-print.mjs", flags: ["-p"] };

agentContract("kind cursor, printing", {
  create: () => Promise.resolve(createAcpFake(dataDir, printing)),
  createUnable: () =>
    Promise.resolve(createAcpFake(dataDir, { ...printing, command: [path.join(dataDir, "nothing-here"), "-p"] })),
  says: { short: "hello", endless: "a long one", endlessTool: "tool", request: null, steerable: null },
});

const started: AcpProbe[] = [];
afterEach(async () => {
  for (const probe of started.splice(0)) expect(await probe.leave()).toEqual([]);
});
async function start(options: AcpFakeOptions = {}): Promise<AcpProbe> {
  const probe = await startAcpFake({ ...printing, ...options });
  started.push(probe);
  return probe;
}

test("text printed twice is emitted once, around thoughts and tools", async () => {
  const probe = await start();
  await probe.run("steps");
  const [guard, ...events] = probe.events;
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

test("an exit without a result is a failure with stderr as its reason", async () => {
  const probe = await start();
  const { outcome, error } = await probe.run("failure");
  expect({ outcome, detail: error?.detail }).toEqual({ outcome: "errored", detail: "Error: not logged in" });
});

test("arguments are fixed but for model and session, and a read-only session answers in the mode for that", async () => {
  const probe = await start({ flags: ["-p", "--digest"], setup: { writable: false }, spec: { model: "sonnet-4" } });
  await probe.run("one", "one");
  await probe.run("two", "two");
  const text = probe.all("text_delta").map(({ text }) => (JSON.parse(text) as { argv: string[] }).argv);
  const fixed = ["-p", "--digest", "--output-format", "stream-json", "--stream-partial-output"];
  const chosen = ["--mode", "ask", "--model", "sonnet-4"];
  expect(text).toEqual([
    [...fixed, ...chosen],
    [...fixed, ...chosen, "--resume", "cursor-session-1"],
  ]);
});

test("a writable session never sets a mode that acts without asking", async () => {
  const probe = await start({ flags: ["-p", "--digest"] });
  await probe.run("one");
  expect((JSON.parse(probe.text()) as { argv: string[] }).argv).toEqual([
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
  const coldStart = (): { systemPrompt: string } => ({ systemPrompt: "You sit at a table." });
  const lost = await start({ setup: { nativeSessionId: "forgotten" } });
  lost.agent.send({ kind: "turn", turnId: "one", text: "hello", attachments: [], coldStart });
  expect((await lost.next("turn_done")).outcome).toBe("completed");
  expect(lost.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  expect(lost.text()).toMatch(/^you said: You sit at a table\.[^]*hello$/);
  const silent = await start({ setup: { nativeSessionId: "silently-gone" } });
  expect((await silent.run("hello")).outcome).toBe("completed");
  expect(silent.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
  expect(silent.all("member_session").map(({ nativeSessionId }) => nativeSessionId)).toEqual(["cursor-session-2"]);
  const kept = await start({ setup: { nativeSessionId: "kept" } });
  await kept.run("hello");
  expect(kept.all("warning")).toEqual([]);
});
