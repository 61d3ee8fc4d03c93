/** The table's own tools in the hands of an ACP agent, through the tool server that it starts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test, type TestContext } from "vitest";
import { hostToolSchemas, type Json } from "../../../src/protocol/index.ts";
import { hostServerName } from "../../../src/agents/host-tools/server-name.ts";
import type { AgentEvent } from "../../../src/agents/index.ts";
import { FAKES, markedProcesses } from "../process/start-fake.ts";
import { startAcpFake, type AcpFakeOptions, type AcpProbe } from "./start-acp-fake.ts";

async function start({ onTestFinished }: TestContext, options: AcpFakeOptions = {}): Promise<AcpProbe> {
  const probe = await startAcpFake(options);
  onTestFinished(async () => expect(await probe.leave()).toEqual([]));
  return probe;
}

const QUESTION = { id: "q", text: "Which?", options: [{ label: "A", value: "a" }], multiple: false, freeText: true };

type Step = Record<string, Json>;
const tools = (...steps: Step[]): string => `tools ${JSON.stringify(steps)}`;
const content = (text: string) => ({ content: [{ type: "text", text }] });

/** What the fake has heard from its tool server, without the envelope. */
function heard(probe: AcpProbe): unknown[] {
  const said = JSON.parse(probe.all("text_delta").at(-1)?.text ?? "[]") as { result?: unknown; error?: unknown }[];
  return said.map((one) => one.result ?? one.error ?? one);
}

type HostCall = Extract<AgentEvent, { type: "host_call" }>;

/** The call of this tool, now or when it comes. */
async function called(probe: AcpProbe, tool: string, from = 0): Promise<HostCall> {
  for (let at = from; ; at += 1) {
    const event = await probe.next("host_call", at);
    if (event.tool === tool) return event;
    at = probe.events.indexOf(event);
  }
}

interface Opening {
  readonly name: string;
  readonly command: string;
  readonly args: string[];
  readonly env: { name: string; value: string }[];
}

async function opening(probe: AcpProbe): Promise<Opening> {
  await probe.run("facts", "facts");
  const facts = JSON.parse(probe.all("text_delta").at(-1)?.text ?? "{}") as { opening: { mcpServers: Opening[] } };
  const [server] = facts.opening.mcpServers;
  if (server === undefined) throw new Error("no tool server was given");
  return server;
}

function variable(server: Opening, name: string): string {
  return server.env.find((one) => one.name === name)?.value ?? "";
}

describe.concurrent("calling", () => {
  test.for<[string, Json]>([
    ["agents_list", {}],
    ["plan_update", { items: [{ text: "Look", status: "pending" }] }],
    ["user_question", { title: "T", questions: [QUESTION] }],
    ["ui_confirm", { title: "Sure?", message: "Really" }],
    ["ui_notify", { message: "Hello" }],
  ])("a call of %s is a host_call of the running turn, and its answer is the result", async ([tool, args], context) => {
    const probe = await start(context);
    probe.ask(tools({ call: tool, args }));
    const call = await probe.next("host_call");
    expect(call).toEqual({ type: "host_call", callId: call.callId, tool, args });
    probe.agent.answer(call.callId, { result: { seen: tool }, error: null });
    expect((await probe.next("turn_done")).outcome).toBe("completed");
    expect(heard(probe)).toEqual([content(JSON.stringify({ seen: tool }))]);
  });

  test("a refusal by the session is an error that the model sees", async (context) => {
    const probe = await start(context);
    probe.ask(tools({ call: "ui_confirm", args: { title: "Sure?" } }));
    const { callId } = await probe.next("host_call");
    probe.agent.answer(callId, { result: null, error: "ui_confirm was not run: message is missing" });
    await probe.next("turn_done");
    expect(heard(probe)).toEqual([{ ...content("ui_confirm was not run: message is missing"), isError: true }]);
  });

  test("offers the host tools under a name of this session and member", async (context) => {
    const probe = await start(context, { setup: { sessionId: "one" } });
    await probe.run(tools({ list: true }));
    expect(heard(probe)).toEqual([hostToolSchemas().map(({ name }) => name)]);
    const { name } = await opening(probe);
    expect(name).toBe(hostServerName({ sessionId: "one", member: "member" }));
    expect(name).toMatch(/^roundtable[0-9a-f]{8}$/);
    expect(hostServerName({ sessionId: "two", member: "member" })).not.toBe(name);
    expect(hostServerName({ sessionId: "one", member: "other" })).not.toBe(name);
  });

  test("opencode gets the host tool server and calls its tools without asking", async (context) => {
    const probe = await start(context, { kind: "opencode" });
    probe.ask(tools({ list: true }, { call: "agents_list" }));
    const call = await called(probe, "agents_list");
    probe.agent.answer(call.callId, { result: { members: [] }, error: null });
    await probe.next("turn_done");
    expect(heard(probe)).toEqual([hostToolSchemas().map(({ name }) => name), content('{"members":[]}')]);
    const { name } = await opening(probe);
    const from = probe.events.length;
    await probe.run("facts", "facts");
    const facts = JSON.parse(
      probe.events
        .slice(from)
        .flatMap((event) => (event.type === "text_delta" ? [event.text] : []))
        .join(""),
    ) as { permission: string };
    expect(JSON.parse(facts.permission)).toMatchObject({ [`${name}_*`]: "allow" });
  });

  test("refuses a call outside a turn with a message for the model; the next turn works", async (context) => {
    const probe = await start(context);
    probe.ask(tools({ list: true }, { over: true }, { call: "agents_list" }, { sign: true }), "one");
    await Promise.all([probe.next("context_update"), probe.next("turn_done")]);
    probe.ask(tools({ call: "ui_notify", args: { message: "x" } }), "two");
    const call = await called(probe, "ui_notify");
    probe.agent.answer(call.callId, { result: "ok", error: null });
    await probe.next("turn_done", probe.events.indexOf(call));
    const [refused, answered] = heard(probe).slice(-2);
    // Its call and the end of its turn come by two ways, so the call may still be taken for one of that turn.
    const text = expect.stringMatching(/^(No turn is running|Your turn ended before this was answered)/) as string;
    expect([refused, answered]).toEqual([{ ...content(text), isError: true }, content("ok")]);
    expect(probe.all("host_call").at(-1)?.tool).toBe("ui_notify");
  });

  test("withdraws a call that the agent cancels and drops its late answer", async (context) => {
    const probe = await start(context);
    const question = { title: "T", questions: [QUESTION] };
    probe.ask(
      tools(
        { call: "user_question", args: question, as: "one" },
        { call: "ui_notify", args: { message: "x" } },
        { cancel: "one" },
        { call: "ui_working", args: { message: null } },
      ),
    );
    const asked = await called(probe, "user_question");
    const notified = await called(probe, "ui_notify");
    probe.agent.answer(notified.callId, { result: "ok", error: null });
    expect(await probe.next("request_withdrawn")).toEqual({ type: "request_withdrawn", callId: asked.callId });
    probe.agent.answer(asked.callId, { result: "late", error: null });
    probe.agent.answer((await called(probe, "ui_working")).callId, { result: "done", error: null });
    await probe.next("turn_done");
    expect(heard(probe)).toEqual([content("ok"), content("done")]);
  });

  test("an interrupted turn answers its open calls with the reason", async (context) => {
    const probe = await start(context);
    probe.ask(tools({ call: "ui_confirm", args: { title: "T", message: "M" }, as: "one" }, { wait: "one" }), "one");
    const { callId } = await probe.next("host_call");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    probe.agent.answer(callId, { result: true, error: null });
    await probe.run(tools({ list: true }), "two");
    expect(heard(probe)[0]).toEqual({ ...content("Your turn ended before this was answered."), isError: true });
  });
});

describe.concurrent("agents that learn of their tools late", () => {
  test("the first prompt waits until the agent has asked for the tools", async (context) => {
    const probe = await startGemini(context, ["--lists-late"]);
    const done = probe.run("facts");
    expect((await done).outcome).toBe("completed");
    expect(probe.all("warning")).toEqual([]);
    expect(JSON.parse(probe.all("text_delta").at(-1)?.text ?? "{}")).toMatchObject({ hasListed: true });
  });

  test("stops waiting for an agent that never fetches the tools, with one hint", async (context) => {
    const probe = await startGemini(context, []);
    await probe.run("hello", "one");
    await probe.run("crash", "two");
    await probe.run("hello", "three");
    expect(probe.all("warning").filter(({ code }) => code === "table_tools")).toEqual([
      {
        type: "warning",
        code: "table_tools",
        message:
          'member has not listed the host tools and may work without them. It uses tool servers only in directories that it trusts: start "gemini" there once and trust the directory.',
      },
    ]);
  });

  /** The fake under the name of a program of which this is known. */
  async function startGemini(context: TestContext, flags: readonly string[]): Promise<AcpProbe> {
    const folder = mkdtempSync(path.join(tmpdir(), "roundtable-gemini-"));
    const file = path.join(folder, "gemini");
    const fake = [process.execPath, path.join(FAKES, "acp.mjs"), ...flags].map((part) => `"${part}"`).join(" ");
    writeFileSync(file, `#!/bin/sh\nexec ${fake} "$@"\n`, { mode: 0o755 });
    context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return start(context, { command: [file] });
  }
});

describe.concurrent("whose it is", () => {
  test("[A334] token and socket are passed in variables, never in arguments or events", async (context) => {
    const probe = await start(context);
    const server = await opening(probe);
    await probe.run(tools({ list: true }), "two");
    const token = variable(server, "ROUNDTABLE_TABLE_TOKEN");
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(server.args).toEqual([expect.stringMatching(/host-tools[/\\]program\.ts$/)]);
    const commands = markedProcesses(probe.dataDir).map(({ command }) => command);
    expect(commands.filter((command) => command.includes("host-tools"))).toHaveLength(1);
    expect(commands.join()).not.toContain(token);
    const other = await opening(await start(context));
    expect(variable(other, "ROUNDTABLE_TABLE_TOKEN")).not.toBe(token);
    expect(variable(other, "ROUNDTABLE_TABLE_SOCKET")).not.toBe(variable(server, "ROUNDTABLE_TABLE_SOCKET"));
  });

  test("the socket is its owner's alone, and is gone with its directory and its program when the member is", async () => {
    const probe = await startAcpFake();
    const socket = variable(await opening(probe), "ROUNDTABLE_TABLE_SOCKET");
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(socket)).mode & 0o777).toBe(0o700);
    await probe.run(tools({ list: true }), "two");
    expect(await probe.leave()).toEqual([]);
    expect(existsSync(path.dirname(socket))).toBe(false);
  });

  test.for([
    ["a wrong token", '{"token":"wrong"}\n', "a connection presented a wrong token"],
    ["no token", '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', "a connection presented a wrong token"],
    ["noise", "GET / HTTP/1.1\r\n\r\n", "a connection sent something other than a token"],
    ["a line without end", `"${"x".repeat(1_100_000)}"\n`, "a connection sent something other than a token"],
  ])("[A336] %s is rejected with a warning", async ([, sent, why], context) => {
    const probe = await start(context);
    const socket = variable(await opening(probe), "ROUNDTABLE_TABLE_SOCKET");
    expect(await knock(socket, `${sent}{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n`)).toBe("");
    const message = `The tool server of member: ${why}; that connection was closed.`;
    expect(await probe.next("warning")).toEqual({ type: "warning", code: "table_tools", message });
    await probe.run(tools({ list: true }), "two");
    expect(heard(probe)).toEqual([hostToolSchemas().map(({ name }) => name)]);
  });

  test("[A336] more connections than a member needs are turned away", async (context) => {
    const probe = await start(context);
    const server = await opening(probe);
    const hello = `${JSON.stringify({ token: variable(server, "ROUNDTABLE_TABLE_TOKEN") })}\n`;
    const path = variable(server, "ROUNDTABLE_TABLE_SOCKET");
    const open = Array.from({ length: 9 }, () => createConnection(path));
    for (const socket of open) socket.on("error", () => undefined).write(hello);
    expect((await probe.next("warning")).message).toContain("more than 8 tool servers connected at once");
    for (const socket of open) socket.destroy();
  });
});

describe.concurrent("faults", () => {
  test("a tool server that dies withdraws its calls, and a new one is accepted", async (context) => {
    const probe = await start(context);
    const question = { title: "T", questions: [QUESTION] };
    probe.ask(
      tools(
        { call: "user_question", args: question, as: "one" },
        { call: "ui_notify", args: { message: "x" } },
        { kill: true },
        { call: "agents_list" },
      ),
    );
    const asked = await called(probe, "user_question");
    probe.agent.answer((await called(probe, "ui_notify")).callId, { result: "ok", error: null });
    expect(await probe.next("request_withdrawn")).toEqual({ type: "request_withdrawn", callId: asked.callId });
    probe.agent.answer((await called(probe, "agents_list")).callId, { result: ["me"], error: null });
    expect((await probe.next("turn_done")).outcome).toBe("completed");
    expect(heard(probe)).toEqual([content("ok"), { code: null, stderr: "" }, content('{"result":["me"]}')]);
  });

  test("what is no message is answered as such, and calls go on", async (context) => {
    const probe = await start(context);
    const hostile = ["not json", "[]", "[[[[[[", "null", '{"id":7}', `"${"y".repeat(1_100_000)}"`].map((raw) => ({
      raw,
    }));
    const odd = [
      '{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"rm"}}',
      '{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"__proto__","arguments":[]}}',
      '{"jsonrpc":"2.0","id":72,"method":"constructor"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}',
    ].map((raw) => ({ raw }));
    probe.ask(tools(...hostile, ...odd, { call: "agents_list" }));
    const { callId } = await probe.next("host_call");
    probe.agent.answer(callId, { result: "still here", error: null });
    await probe.next("turn_done");
    expect(heard(probe)).toEqual([content("still here")]);
    expect(probe.all("host_call")).toHaveLength(1);
  });

  test("rejects a tool server that sends only noise, with a warning", async (context) => {
    const probe = await start(context);
    const noise = Array.from({ length: 21 }, () => ({ raw: "noise" }));
    await probe.run(tools(...noise, { call: "agents_list" }));
    expect(probe.all("warning").map(({ message }) => message)).toEqual([
      "The tool server of member: a tool server sent too many invalid lines; that connection was closed.",
    ]);
    expect(heard(probe)).toEqual([{ exit: { code: 1, stderr: "roundtable: the host closed the connection.\n" } }]);
  });

  test("refuses calls above the limit with a message for the model", async (context) => {
    const probe = await start(context);
    const many = Array.from({ length: 33 }, (_, at) => ({ call: "agents_list", as: `c${at}` }));
    probe.ask(tools(...many, { wait: "c32" }));
    await probe.next("turn_done");
    expect(heard(probe)).toEqual([
      { ...content("32 calls are already pending. Wait for their answers."), isError: true },
    ]);
  });

  test("the tool server explains itself when started by hand or without a session", async () => {
    const { spawnSync } = await import("node:child_process");
    const { programPath } = await import("../../../src/agents/host-tools/program-path.ts");
    const start = (env: Record<string, string>) => {
      const { status, stderr } = spawnSync(process.execPath, [programPath()], { env, encoding: "utf8" });
      return { status, stderr };
    };
    expect(start({})).toEqual({
      status: 1,
      stderr:
        "roundtable: this program is started by an agent, with ROUNDTABLE_TABLE_SOCKET and ROUNDTABLE_TABLE_TOKEN set.\n",
    });
    const nowhere = { ROUNDTABLE_TABLE_SOCKET: "/nowhere/tools.sock", ROUNDTABLE_TABLE_TOKEN: "t" };
    expect(start(nowhere)).toEqual({
      status: 1,
      stderr: "roundtable: cannot reach the host: connect ENOENT /nowhere/tools.sock\n",
    });
    expect(readFileSync(programPath(), "utf8")).not.toContain("process.argv");
  });
});

/** Everything that is answered until the connection is closed from the other side. */
function knock(path: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = createConnection(path);
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}
