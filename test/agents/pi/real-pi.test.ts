/**
 * The real Pi through the adapter, against a model server that is given by its address. Runs only when
 * ROUNDTABLE_REAL_AGENTS names the program (an absolute path; a .js file is run by this Node) and ROUNDTABLE_FAKE_MODEL
 * the server (http://127.0.0.1:PORT), which answers by tags in the prompt.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "../../../src/agents/index.ts";
import { makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { settle, startAgent } from "../agent-probe.ts";
import { createFakePi, type PiOptions } from "./start-pi.ts";
import { patient } from "../../patience.ts";

const named = process.env["ROUNDTABLE_REAL_AGENTS"] ?? "";
const program = /[\\/]pi(-coding-agent)?([\\/]|$)/.test(named) ? named : "";
const server = process.env["ROUNDTABLE_FAKE_MODEL"] ?? "";
const dataDir = realpathSync(makeDataDir());
const before = { ...process.env };
const limits = {
  silenceMs: patient(60_000),
  totalMs: patient(100_000),
  killSequence: { interruptMs: patient(5_000), sigintMs: 2_000, sigtermMs: 2_000, sigkillMs: 2_000 },
};
const command = program.endsWith(".js") ? [process.execPath, program] : [program];

/** An extension of the user's own: it asks and signals in every way that Pi has over RPC. */
const OTHER_EXTENSION = `
export default function (pi) {
  pi.registerTool({
    name: "poll", label: "poll", description: "asks", parameters: { type: "object", properties: {} },
    async execute(_id, _args, _signal, _update, ctx) {
      ctx.ui.notify("careful", "warning");
      ctx.ui.setStatus("k", "busy");
      ctx.ui.setWidget("w", ["one", "two"], { placement: "belowEditor" });
      ctx.ui.setTitle("a title");
      ctx.ui.setEditorText("a text");
      const chosen = await ctx.ui.select("which?", ["a", "b"]);
      const sure = await ctx.ui.confirm("sure?", "really");
      const word = await ctx.ui.input("word?", "here");
      const text = await ctx.ui.editor("text?", "before");
      return { content: [{ type: "text", text: JSON.stringify([chosen, sure, word, text]) }], details: {} };
    },
  });
  pi.registerCommand("danger", { description: "x", handler: async () => { throw new Error("a command ran"); } });
  pi.registerCommand("announce", { description: "x", handler: async () => {} });
}
`;

describe.skipIf(program === "" || server === "")("the real Pi", () => {
  beforeAll(() => {
    const home = path.join(dataDir, "home");
    const agentDir = path.join(home, ".pi", "agent");
    mkdirSync(path.join(agentDir, "extensions"), { recursive: true });
    const model = (id: string) => ({
      id,
      name: id,
      reasoning: true,
      input: ["text"],
      cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 },
      contextWindow: 128_000,
      maxTokens: 8192,
    });
    const fake = {
      baseUrl: `${server}/v1`,
      api: "openai-completions",
      apiKey: "nothing-secret",
      models: [model("fake-text"), model("fake-echo")],
    };
    writeFileSync(path.join(agentDir, "models.json"), JSON.stringify({ providers: { fake } }));
    writeFileSync(path.join(agentDir, "extensions", "other.ts"), OTHER_EXTENSION);
    Object.assign(process.env, { HOME: home, PI_OFFLINE: "1" });
  });

  afterAll(() => {
    process.env = before;
    removeDataDir(dataDir);
  });

  const started: Agent[] = [];
  const start = (more: PiOptions = {}) => {
    const agent = createFakePi({ dataDir, command, model: "fake/fake-text", limits, ...more });
    started.push(agent);
    return startAgent(agent);
  };
  afterEach(() => Promise.all(started.splice(0).map((agent) => agent.close())));

  test("streams text and thoughts, calls a tool and reports usage, in one process for many turns", async () => {
    const probe = await start();
    const first = await probe.run("[[fake: thinking]]", "one");
    probe.ask('[[fake: tool command="for i in 1 2 3; do echo tick $i; sleep 0.3; done"]]', "two");
    const { callId } = await probe.next("request");
    probe.agent.answer(callId, { result: "allow", error: null });
    const second = await probe.next("turn_done", probe.events.indexOf(first) + 1);
    await probe.agent.close();
    expect([first.outcome, second.outcome]).toEqual(["completed", "completed"]);
    expect(probe.all("thinking_done").length).toBeGreaterThan(0);
    expect(probe.all("tool_result").map((one) => one.result)).toEqual(["tick 1\ntick 2\ntick 3\n"]);
    expect(
      probe
        .all("tool_output_delta")
        .map((one) => one.text)
        .join(""),
    ).toBe("tick 1\ntick 2\ntick 3\n");
    expect(probe.all("text_done").at(-1)?.text).toContain("tick 3");
    expect(probe.all("member_session")).toHaveLength(1);
    expect(first.usage?.outputTokens).toBeGreaterThan(0);
    expect(first.usage?.costUsd).toBeGreaterThan(0);
    expect(probe.all("context_update").at(-1)).toMatchObject({ window: 128_000, measured: true });
    expect(probe.all("warning")).toEqual([]);
  });

  test("asks before it writes, edits or runs; a yes does it, a no does not", async () => {
    const probe = await start();
    const file = (name: string) => path.join(dataDir, name);
    const calls = [
      [`[[fake: tool kind=write path="${file("yes.txt")}" content="one two"]]`, "allow"],
      [`[[fake: tool kind=write path="${file("no.txt")}"]]`, "deny"],
      [
        `[[fake: tool name=edit args=${JSON.stringify({ path: file("yes.txt"), edits: [{ oldText: "one", newText: "three" }] })}]]`,
        "allow",
      ],
      [`[[fake: tool command="touch ${file("never.txt")}"]]`, "deny"],
    ] as const;
    const asked = [];
    for (const [prompt, answer] of calls) {
      const from = probe.events.length;
      probe.ask(prompt, prompt);
      const { callId, request } = await probe.next("request", from);
      asked.push(request);
      probe.agent.answer(callId, { result: answer, error: null });
      expect((await probe.next("turn_done", from)).outcome).toBe("completed");
    }
    await probe.agent.close();
    expect(asked.map((request) => ("tool" in request ? request.tool : request.method))).toEqual([
      "write",
      "write",
      "edit",
      "bash",
    ]);
    expect(asked[3]).toMatchObject({ method: "approval", call: `touch ${file("never.txt")}` });
    expect(readFileSync(file("yes.txt"), "utf8")).toBe("three two");
    expect([existsSync(file("no.txt")), existsSync(file("never.txt"))]).toEqual([false, false]);
    expect(probe.all("tool_result").map((one) => one.error?.code ?? "ok")).toEqual([
      "ok",
      "tool_denied",
      "ok",
      "tool_denied",
    ]);
    expect(probe.all("change_report").map(({ files }) => files.map(({ path: at, status }) => [at, status]))).toEqual([
      [[file("yes.txt"), "added"]],
      [[file("yes.txt"), "modified"]],
    ]);
  });

  test("a read-only session denies without asking and can still read", async () => {
    const probe = await start({ isWritable: false });
    await probe.run(`[[fake: tool name=write args={"path":"${path.join(dataDir, "nope.txt")}","content":"x"}]]`, "one");
    await probe.run(`[[fake: tool name=bash args={"command":"touch nope.txt"}]]`, "two");
    await probe.run(`[[fake: tool name=ls args={"path":"."}]]`, "three");
    await probe.agent.close();
    expect(existsSync(path.join(dataDir, "nope.txt"))).toBe(false);
    expect(probe.all("request")).toEqual([]);
    expect(probe.all("tool_result").map((one) => one.error?.code ?? "ok")).toEqual([
      "tool_denied",
      "tool_denied",
      "ok",
    ]);
  });

  test("calls host tools in process; answers and refusals reach the model", async () => {
    const probe = await start({ isWritable: false });
    probe.ask("[[fake: tool name=agents_list args={}]]", "one");
    const list = await probe.next("host_call");
    expect({ tool: list.tool, args: list.args }).toEqual({ tool: "agents_list", args: {} });
    probe.agent.answer(list.callId, { result: { members: ["bob"] }, error: null });
    await probe.next("turn_done");
    const from = probe.events.length;
    const args = { title: "a word?", placeholder: "here" };
    probe.ask(`[[fake: tool name=ui_input args=${JSON.stringify(args)}]]`, "two");
    const message = await probe.next("host_call", from);
    expect(message.args).toEqual(args);
    probe.agent.answer(message.callId, { result: null, error: "nobody is there" });
    await probe.next("turn_done", from);
    await probe.agent.close();
    expect(probe.all("tool_result").map((one) => one.result ?? one.error?.message)).toEqual([
      '{"members":["bob"]}',
      "nobody is there",
    ]);
  });

  test("dialogs and signals of the user's own extensions are emitted and answered", async () => {
    const probe = await start();
    probe.ask("[[fake: tool name=poll args={}]]", "one");
    const answers = ["allow", "b", true, "a word", null];
    let from = 0;
    const methods = [];
    for (const result of answers) {
      const event = await probe.next("request", from);
      from = probe.events.indexOf(event) + 1;
      methods.push(event.request.method);
      probe.agent.answer(event.callId, { result, error: null });
    }
    await probe.next("turn_done");
    await probe.agent.close();
    expect(methods).toEqual(["approval", "select", "confirm", "input", "editor"]);
    expect(probe.all("tool_result").map((one) => one.result)).toEqual(['["b",true,"a word",null]']);
    expect(probe.all("ui_notify")).toEqual([{ type: "ui_notify", message: "careful", notifyType: "warn" }]);
    expect(probe.all("ui_widget")).toEqual([
      { type: "ui_widget", key: "w", content: ["one", "two"], opts: { placement: "belowEditor" } },
    ]);
    expect(probe.all("ui_set_title")).toEqual([{ type: "ui_set_title", title: "a title" }]);
    expect(probe.all("ui_set_editor_text")).toEqual([{ type: "ui_set_editor_text", text: "a text" }]);
    expect(probe.all("ui_status")).toContainEqual({ type: "ui_status", key: "k", text: "busy" });
  });

  test("steers in the same turn, in text and at a tool, also with a leading slash", async () => {
    const probe = await start();
    for (const [prompt, text] of [
      ["[[fake: slow n=20 delay=30]]", "and this [[fake: echo]]"],
      ['[[fake: tool command="sleep 1; echo one"]] [[fake: text]]', "/danger and this [[fake: echo]]"],
    ] as const) {
      const from = probe.events.length;
      probe.ask(prompt, prompt);
      if (prompt.includes("tool")) {
        probe.agent.answer((await probe.next("request", from)).callId, { result: "allow", error: null });
      } else await probe.next("text_delta", from);
      probe.agent.send({ kind: "steer", messageId: text, text });
      await probe.next("steered", from);
      const end = await probe.next("turn_done", from);
      expect([end.outcome, end.turnId]).toEqual(["completed", prompt]);
      expect(probe.all("text_done").at(-1)?.text).toContain(text.slice(0, 10));
    }
    await probe.agent.close();
    expect(probe.all("warning")).toEqual([]);
  });

  test("an interrupt in text and in a tool ends the turn, and the same process takes the next one", async () => {
    const probe = await start();
    probe.ask("[[fake: slow n=200 delay=60]]", "text");
    await probe.next("text_delta");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    let from = probe.events.length;
    probe.ask('[[fake: tool command="for i in $(seq 1 60); do echo tick $i; sleep 1; done"]]', "tool");
    probe.agent.answer((await probe.next("request", from)).callId, { result: "allow", error: null });
    await probe.next("tool_output_delta", from);
    probe.agent.interrupt();
    expect((await probe.next("turn_done", from)).outcome).toBe("interrupted");
    from = probe.events.length;
    expect((await probe.run("still there? [[fake: echo]]", "next")).outcome).toBe("completed");
    expect(probe.all("member_session")).toHaveLength(1);
    probe.ask('[[fake: tool command="echo never"]]', "asking");
    await probe.next("request", from);
    probe.agent.interrupt();
    await probe.next("turn_done", from + 1);
    await probe.agent.close();
    expect(probe.all("turn_done").map((one) => one.outcome)).toEqual([
      "interrupted",
      "interrupted",
      "completed",
      "interrupted",
    ]);
  });

  test("an interrupt while Pi waits to try again ends the turn, and the same process takes the next one", async () => {
    const probe = await start();
    probe.ask("[[fake: error status=500]]", "one");
    await probe.next("retrying");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    expect((await probe.run("still there? [[fake: echo]]", "two")).outcome).toBe("completed");
    await probe.agent.close();
    expect(probe.all("member_session")).toHaveLength(1);
    expect(probe.all("retrying")).toHaveLength(1);
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
    expect(two.all("warning")).toEqual([]);
    const three = await start({ nativeSessionId: "11111111-2222-4333-8444-555555555555" });
    const end = await three.run("hello [[fake: echo]]", "three");
    await three.agent.close();
    expect(end.outcome).toBe("completed");
    expect(three.all("warning").map((event) => event.code)).toEqual(["session_lost"]);
  });

  test("shows retries, retracts a broken answer, and ends errored on an error", async () => {
    const probe = await start();
    // The server fails a prompt so many times, so each run of this test has prompts of its own.
    const own = `run ${process.pid} ${Date.now()}`;
    await probe.run(`${own} [[fake: error status=500 times=1]]`, "once");
    expect(probe.all("retrying")).toHaveLength(1);
    const from = probe.events.length;
    await probe.run(`${own} [[fake: drop after=30 times=1]]`, "drop");
    expect(probe.events.slice(from).filter((event) => event.type === "text_retracted")).toHaveLength(1);
    const end = await probe.run("[[fake: unauthorized]]", "error");
    expect([end.outcome, end.error?.code]).toEqual(["errored", "unauthorized"]);
    expect((await probe.run("[[fake: text]]", "after")).outcome).toBe("completed");
    await probe.agent.close();
  });

  test("switches the model for the next turn without a new process; reports an unknown one", async () => {
    const probe = await start();
    const turn = (turnId: string, model: string) =>
      probe.agent.send({ kind: "turn", turnId, text: "hello [[fake: echo]]", attachments: [], model });
    turn("one", "fake/fake-text");
    await probe.next("turn_done");
    let from = probe.events.length;
    turn("two", "fake-echo:high");
    expect((await probe.next("turn_done", from)).outcome).toBe("completed");
    from = probe.events.length;
    turn("three", "no such model");
    expect((await probe.next("turn_done", from)).error).toMatchObject({ code: "model_not_found" });
    await probe.agent.close();
    expect(probe.all("member_session")).toHaveLength(1);
  });

  test("what begins with a slash or a dash is a text like any other", async () => {
    const probe = await start();
    for (const text of ["/danger [[fake: echo]]", "/announce", "--help [[fake: echo]]", "a\0b [[fake: echo]]"]) {
      expect((await probe.run(text, text)).outcome).toBe("completed");
      if (text.includes("echo")) expect(probe.all("text_done").at(-1)?.text).toContain(text.slice(0, 5));
    }
    await probe.agent.close();
    expect(probe.all("warning")).toEqual([]);
  });

  test("[A50] nothing that was started runs", async () => {
    await settle();
    expect(markedProcesses(dataDir)).toEqual([]);
  });
});
