/** Malformed lines, and an editor that stops reading: each line gets a protocol answer, and nothing is lost. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { MISSED_BYTES_MAX } from "../../../src/client/missed-events.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { connect, listen, until } from "../../../test/host/open-host.ts";
import { createScriptedAgents, type Step } from "../../../test/session/scripted-agent.ts";
import { openAgent, type AgentOptions, type OpenAgent } from "./open-agent.ts";

let agent: OpenAgent;
let cwd: string;

afterEach(async () => {
  await agent.close();
  rmSync(cwd, { recursive: true, force: true });
});

interface Answer {
  id?: unknown;
  method?: string;
  error?: { code: number };
  result?: { sessionId?: string; stopReason?: string };
}

const request = (id: unknown, method: string, params: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

async function open(options?: AgentOptions, clientCapabilities: object = {}): Promise<string> {
  cwd = mkdtempSync(join(tmpdir(), "rt-acp-"));
  agent = await openAgent(cwd, options);
  await agent.write(`${request(1, "initialize", { protocolVersion: 1, clientCapabilities })}\n`);
  await agent.write(`${request(2, "session/new", { cwd, mcpServers: [] })}\n`);
  return (await answerTo(2)).result?.sessionId ?? "";
}

async function answerTo(id: unknown, from = 0): Promise<Answer> {
  const at = await agent.sees((frame) => (frame as Answer).id === id && !("method" in (frame as Answer)), from);
  return agent.frames[at] as Answer;
}

const prompt = (id: unknown, sessionId: string, text: string) =>
  request(id, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });

test("whatever a line contains, it gets a JSON-RPC error or is ignored, and the next one is read", async () => {
  const sessionId = await open();
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const wrong: [string, unknown][] = [
    ["session/prompt", { sessionId, prompt: "text" }],
    ["session/prompt", { sessionId, prompt: [{ type: "no_such_block" }] }],
    ["session/prompt", { sessionId, prompt: JSON.parse(deep) as unknown }],
    ["session/prompt", { sessionId: "__proto__", prompt: [{ type: "text", text: "hi" }] }],
    ["session/load", { sessionId: "../../etc/passwd", cwd, mcpServers: [] }],
    ["session/load", { sessionId: { a: 1 }, cwd, mcpServers: [] }],
    ["session/new", { cwd: `${cwd}/../../../no/such/place`, mcpServers: [] }],
    ["session/new", { cwd: 7, mcpServers: [] }],
    ["session/new", null],
    ["session/set_mode", { sessionId, modeId: "only:../ling" }],
    ["session/close", { sessionId: "constructor" }],
    ["no/such/method", {}],
    ["constructor", {}],
  ];
  for (const [at, [method, params]] of wrong.entries()) {
    await agent.write(`${request(`wrong-${at}`, method, params)}\n`);
    const answer = await answerTo(`wrong-${at}`);
    expect({ method, isError: (answer.error?.code ?? 0) < 0 }).toEqual({ method, isError: true });
  }
  const unanswerable = ["{", "42", "null", '"text"', "[1,2]", '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":9}', deep];
  await agent.write(`${unanswerable.join("\n")}\n\u0000\ufffd\n\n`);
  await agent.write('{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","method":"no/such/notice","params":[]}\n');
  await agent.write('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"../.."}}\n');
  const odd = `say ${"x".repeat(200_000)} \u0000 \u2028`;
  await agent.write(`${prompt("whole", sessionId, odd)}\n`);
  expect(await answerTo("whole")).toMatchObject({ result: { stopReason: "end_turn" } });
  expect((await agent.client.list()).map((one) => one.sessionId)).toEqual([sessionId]);
});

test("two ACP requests with one id are both answered, and a line that arrives in chunks is one line", async () => {
  const sessionId = await open();
  const both = `${prompt("same", sessionId, "say one")}\n${prompt("same", sessionId, "say two")}\n`;
  for (let at = 0; at < both.length; at += 17) await agent.write(both.slice(at, at + 17));
  const first = await agent.sees((frame) => (frame as Answer).id === "same");
  await answerTo("same", first + 1);
  const said = JSON.stringify(agent.frames);
  for (const words of ["one", "two"]) expect(said).toContain(`"text":"${words}"`);
});

test("reported changes have an id of their own, also when they are of the same file", async () => {
  const sessionId = await open();
  for (const id of ["first", "second"]) {
    await agent.write(`${prompt(id, sessionId, "tools")}\n`);
    await answerTo(id);
  }
  const ids = agent.frames.flatMap((frame) => {
    const { update } = (frame as { params?: { update?: { name?: string; toolCallId?: string } } }).params ?? {};
    return update?.name === "changes" ? [update.toolCallId] : [];
  });
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(2);
});

test("an answer that the session refuses is reported to the editor, and the request gets its safe default", async () => {
  const sessionId = await open(undefined, { elicitation: { form: {} } });
  await agent.write(`${prompt("asking", sessionId, "ask")}\n`);
  const at = await agent.sees((frame) => (frame as Answer).method === "elicitation/create");
  const { id } = agent.frames[at] as Answer;
  const result = { action: "accept", content: { colour: "x".repeat(256 * 1024) } };
  await agent.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  await answerTo("asking");
  const told = JSON.stringify(agent.frames);
  expect(told).toContain("the limit is");
  expect(told).toContain("You said null.");
});

test("a prompt whose turns are stopped by another client is answered as cancelled", async () => {
  const sessionId = await open();
  await agent.write(`${prompt("held", sessionId, "hold")}\n`);
  await agent.sees((frame) => /"text":"(?:I |wait)/.test(JSON.stringify(frame)));
  await agent.client.command(sessionId, { type: "interrupt", scope: "all" });
  expect(await answerTo("held")).toMatchObject({ result: { stopReason: "cancelled" } });
});

const CALLS = 600;

function busy(): readonly Step[] {
  const calls = Array.from({ length: CALLS }, (_, at): Step[] => [
    { type: "tool_call_start", nativeId: `n${at}`, name: "read", args: {} },
    { type: "tool_result", nativeId: `n${at}`, ok: true },
  ]);
  return [
    ...calls.flat(),
    { wait: 20 },
    { type: "text_delta", text: "First. " },
    { wait: 20 },
    { type: "text_delta", text: "Last." },
  ];
}

test("an editor that stops reading gets everything in order when it resumes, and then the answer to its prompt", async () => {
  const awake = Promise.withResolvers<void>();
  let isAsleep = false;
  const { factory } = createScriptedAgents(systemClock, { ling: { script: busy } });
  const sessionId = await open({ factory, sleep: () => (isAsleep ? awake.promise : undefined) });
  isAsleep = true;
  await agent.write(`${prompt("long", sessionId, "go")}\n`);
  const watcher = await connect(agent.host);
  const { events } = await listen(watcher, sessionId);
  await until("the end of the turn", () => events.some((event) => event.type === "turn_end"));
  watcher.close();
  expect(agent.frames.length).toBeLessThan(20);
  isAsleep = false;
  awake.resolve();
  await answerTo("long");
  const told = agent.frames.map((frame) => JSON.stringify(frame));
  const words = told.flatMap((line) => /"agent_message_chunk".*"text":"([^"]*)"/.exec(line)?.[1] ?? []);
  // One chunk: deltas that arrived meanwhile are merged.
  expect(words).toEqual(["First. Last."]);
  expect(told.filter((line) => line.includes('"sessionUpdate":"tool_call"'))).toHaveLength(CALLS);
  expect(told.findLastIndex((line) => line.includes("session/update"))).toBeLessThan(told.length - 1);
});

test("an editor that misses more than the buffer holds gets a notice before the rest", async () => {
  const awake = Promise.withResolvers<void>();
  let isAsleep = false;
  const note: Step = { type: "ui_notify", message: "x".repeat(MISSED_BYTES_MAX / 30), notifyType: "info" };
  // Enough calls to fill the buffer, then more notices than are stored.
  const script = () => [...busy(), ...Array.from({ length: 40 }, () => note)];
  const { factory } = createScriptedAgents(systemClock, { ling: { script } });
  const sessionId = await open({ factory, sleep: () => (isAsleep ? awake.promise : undefined) });
  isAsleep = true;
  await agent.write(`${prompt("long", sessionId, "go")}\n`);
  const watcher = await connect(agent.host);
  const { events } = await listen(watcher, sessionId);
  await until("the end of the turn", () => events.some((event) => event.type === "turn_end"));
  watcher.close();
  isAsleep = false;
  awake.resolve();
  await answerTo("long");
  const told = agent.frames.map((frame) => JSON.stringify(frame));
  const gap = told.findIndex((line) => /The client stopped reading, so \d+ events were skipped/.test(line));
  const said = told.findIndex((line) => line.includes("First. Last."));
  expect(gap).toBeGreaterThan(0);
  expect(said).toBeGreaterThan(gap);
});
