/**
 * The real Claude Code through the adapter, against a model server that is given by its address. Runs only when
 * ROUNDTABLE_REAL_AGENTS names the program (an absolute path) and ROUNDTABLE_FAKE_MODEL the server
 * (http://127.0.0.1:PORT), which answers by tags in the prompt.
 */
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { settle, startAgent } from "../agent-probe.ts";
import { createFakeClaude, type ClaudeOptions } from "./start-claude.ts";
import { patient } from "../../patience.ts";

const program = process.env["ROUNDTABLE_REAL_AGENTS"] ?? "";
const server = process.env["ROUNDTABLE_FAKE_MODEL"] ?? "";
const dataDir = makeDataDir();
const before = { ...process.env };
const limits = {
  silenceMs: patient(60_000),
  totalMs: patient(100_000),
  killSequence: { interruptMs: patient(3_000), sigintMs: 2_000, sigtermMs: 2_000, sigkillMs: 2_000 },
};
const env = [
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_API_KEY",
  "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
  "CLAUDE_CODE_MAX_RETRIES",
];

describe.skipIf(program === "" || server === "")("the real Claude Code", () => {
  beforeAll(() => {
    const home = path.join(dataDir, "home");
    mkdirSync(home);
    Object.assign(process.env, {
      HOME: home,
      ANTHROPIC_BASE_URL: server,
      ANTHROPIC_API_KEY: "nothing-secret",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    });
  });

  afterAll(() => {
    process.env = before;
    removeDataDir(dataDir);
  });

  const start = (more: ClaudeOptions = {}) =>
    startAgent(createFakeClaude({ dataDir, command: [program], env, limits, ...more }));

  test("streams text and thoughts, calls a tool and reports usage, in one process for many turns", async () => {
    const probe = await start();
    const first = await probe.run("[[fake: thinking]]", "one");
    const second = await probe.run('[[fake: tool command="echo from-the-tool"]]', "two");
    await probe.agent.close();
    expect([first.outcome, second.outcome]).toEqual(["completed", "completed"]);
    expect(probe.all("thinking_done").length).toBeGreaterThan(0);
    expect(probe.all("text_done").at(-1)?.text).toContain("from-the-tool");
    expect(probe.all("tool_result").map((one) => one.result)).toEqual(["from-the-tool"]);
    expect(probe.all("member_session")).toHaveLength(1);
    expect(first.usage?.outputTokens).toBeGreaterThan(0);
    expect(second.usage?.costUsd).toBeLessThan((first.usage?.costUsd ?? 0) * 3);
    expect(probe.all("warning")).toEqual([]);
  });

  test("asks before it writes; a yes writes, a no does not", async () => {
    const probe = await start();
    for (const [name, answer] of [
      ["yes.txt", "allow"],
      ["no.txt", "deny"],
    ] as const) {
      const from = probe.events.length;
      probe.ask(`[[fake: tool kind=write path="${path.join(dataDir, name)}"]]`, name);
      const { callId, request } = await probe.next("request", from);
      expect(request).toMatchObject({ method: "approval", tool: "Write" });
      probe.agent.answer(callId, { result: answer, error: null });
      expect((await probe.next("turn_done", from)).outcome).toBe("completed");
    }
    await probe.agent.close();
    expect([existsSync(path.join(dataDir, "yes.txt")), existsSync(path.join(dataDir, "no.txt"))]).toEqual([
      true,
      false,
    ]);
    expect(probe.all("tool_result").map((one) => one.error?.code ?? "ok")).toEqual(["ok", "tool_denied"]);
    expect(probe.all("change_report")).toHaveLength(1);
  });

  test("a read-only session denies without asking", async () => {
    const probe = await start({ isWritable: false });
    await probe.run(`[[fake: tool kind=write path="${path.join(dataDir, "never.txt")}"]]`, "one");
    await probe.run(`[[fake: tool command="touch ${path.join(dataDir, "never.txt")}"]]`, "two");
    await probe.agent.close();
    expect(existsSync(path.join(dataDir, "never.txt"))).toBe(false);
    expect(probe.all("request")).toEqual([]);
    expect(probe.all("tool_result").map((one) => one.error?.code)).toEqual(["tool_denied", "tool_denied"]);
  });

  test("answers its own questions and host tool calls", async () => {
    const probe = await start({ isWritable: false });
    const args = {
      questions: [
        {
          question: "Which color?",
          header: "Color",
          multiSelect: false,
          options: [
            { label: "Blue", description: "sky" },
            { label: "Red", description: "fire" },
          ],
        },
      ],
    };
    probe.ask(`[[fake: tool name=AskUserQuestion args=${JSON.stringify(args)}]]`, "one");
    probe.agent.answer((await probe.next("request")).callId, { result: { 1: "Blue" }, error: null });
    await probe.next("turn_done");
    const from = probe.events.length;
    probe.ask("[[fake: tool name=mcp__roundtable__agents_list args={}]]", "two");
    const call = await probe.next("host_call", from);
    expect({ tool: call.tool, args: call.args }).toEqual({ tool: "agents_list", args: {} });
    probe.agent.answer(call.callId, { result: { members: ["bob"] }, error: null });
    await probe.next("turn_done", from);
    await probe.agent.close();
    expect(probe.all("tool_result").map((one) => one.result ?? one.error?.message)).toEqual([
      expect.stringContaining('"Which color?"="Blue"'),
      '{"members":["bob"]}',
    ]);
  });

  test("steers in the same turn, in text and at a tool", async () => {
    const probe = await start();
    for (const prompt of [
      "[[fake: slow n=30 delay=40]]",
      '[[fake: tool command="for i in 1 2; do sleep 1; done; echo one"]] [[fake: text]]',
    ]) {
      const from = probe.events.length;
      probe.ask(prompt, prompt);
      await (prompt.includes("slow") ? probe.next("text_delta", from) : probe.next("tool_call_start", from));
      probe.agent.send({ kind: "steer", messageId: "m", text: "and this [[fake: echo]]" });
      if (!prompt.includes("slow")) {
        const { callId } = await probe.next("request", from);
        probe.agent.answer(callId, { result: "allow", error: null });
      }
      await probe.next("steered", from);
      const end = await probe.next("turn_done", from);
      expect([end.outcome, end.turnId]).toEqual(["completed", prompt]);
    }
    await probe.agent.close();
    expect(probe.all("steered")).toHaveLength(2);
    expect(probe.all("turn_done")).toHaveLength(2);
  });

  test("an interrupt in text and in a tool ends the turn, and the same process takes the next one", async () => {
    const probe = await start();
    probe.ask("[[fake: slow n=200 delay=60]]", "text");
    await probe.next("text_delta");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    let from = probe.events.length;
    probe.ask('[[fake: tool command="for i in $(seq 1 60); do echo tick $i; sleep 1; done"]]', "tool");
    await probe.next("tool_call_start", from);
    await new Promise((resolve) => setTimeout(resolve, 500));
    probe.agent.interrupt();
    expect((await probe.next("turn_done", from)).outcome).toBe("interrupted");
    from = probe.events.length;
    expect((await probe.run("still there? [[fake: echo]]", "next")).outcome).toBe("completed");
    expect(probe.all("member_session")).toHaveLength(1);
    await probe.agent.close();
  });

  test("resumes a session after a restart; restarts a lost one with a warning", async () => {
    const one = await start();
    await one.run("remember the word teapot [[fake: echo]]", "one");
    const nativeSessionId = one.all("member_session")[0]?.nativeSessionId ?? "";
    await one.agent.close();
    const two = await start({ nativeSessionId });
    await two.run("and now? [[fake: echo]]", "two");
    await two.agent.close();
    expect(two.all("text_done").at(-1)?.text).toContain("teapot");
    expect(two.all("member_session").map((event) => event.nativeSessionId)).toEqual([nativeSessionId]);
    const three = await start({ nativeSessionId: "11111111-2222-4333-8444-555555555555" });
    const end = await three.run("hello [[fake: echo]]", "three");
    await three.agent.close();
    expect(end.outcome).toBe("completed");
    expect(three.all("warning").map((event) => event.code)).toEqual(["session_lost"]);
  });

  test("a program killed in mid-turn resumes its session in the next turn", async () => {
    const probe = await start();
    await probe.run("remember the word teapot [[fake: echo]]", "one");
    const from = probe.events.length;
    probe.ask("[[fake: slow n=200 delay=60]]", "two");
    await probe.next("text_delta", from);
    for (const { pid } of markedProcesses(dataDir)) process.kill(pid, "SIGKILL");
    const end = await probe.next("turn_done", from);
    expect([end.outcome, end.error?.code]).toEqual(["errored", "crashed"]);
    expect((await probe.run("and now? [[fake: echo]]", "three")).outcome).toBe("completed");
    await probe.agent.close();
    expect(probe.all("text_done").at(-1)?.text).toContain("teapot");
  });

  test("eight members speak at the same time", async () => {
    const tables = await Promise.all(Array.from({ length: 8 }, () => start()));
    const ends = await Promise.all(tables.map((probe) => probe.run("[[fake: slow n=30 delay=20]]")));
    await Promise.all(tables.map((probe) => probe.agent.close()));
    expect(ends.map((end) => end.outcome)).toEqual(tables.map(() => "completed"));
    expect(new Set(tables.map((probe) => probe.all("text_done").at(-1)?.text)).size).toBe(1);
  });

  test("shows retries, retracts a broken answer, and ends errored on an error", async () => {
    const probe = await start();
    await probe.run("[[fake: error status=500 times=1]]", "once");
    expect(probe.all("retrying")).toHaveLength(1);
    await probe.run("[[fake: drop after=30 times=1]]", "drop");
    await probe.run("[[fake: stream-error after=30 times=1]]", "stream");
    expect(probe.all("text_retracted")).toHaveLength(2);
    const end = await probe.run('[[fake: error status=400 message="bad luck"]]', "error");
    expect([end.outcome, end.error?.code]).toEqual(["errored", "provider_error"]);
    expect((await probe.run("[[fake: text]]", "after")).outcome).toBe("completed");
    await probe.agent.close();
  });

  test("another model is used from the next turn on, without a new process", async () => {
    const probe = await start({ model: "claude-one" });
    await probe.run("[[fake: echo]]", "one");
    probe.agent.send({ kind: "turn", turnId: "two", text: "[[fake: echo]]", attachments: [], model: "claude-two" });
    await probe.next("turn_done", probe.events.length);
    await probe.agent.close();
    expect(probe.all("member_session")).toHaveLength(1);
    expect(probe.all("warning")).toEqual([]);
  });

  test("what begins with a slash or a dash is a text like any other", async () => {
    const probe = await start();
    for (const text of ["/cost [[fake: echo]]", "--help [[fake: echo]]", "a\0b [[fake: echo]]"]) {
      await probe.run(text, text);
      expect(probe.all("text_done").at(-1)?.text).toContain(text.slice(0, 5));
    }
    await probe.agent.close();
  });

  test("[A50] nothing that was started runs", async () => {
    await settle();
    expect(markedProcesses(dataDir)).toEqual([]);
  });
});
