/**
 * The real Codex through the adapter, against a model server that is given by its address. Runs only when
 * ROUNDTABLE_REAL_AGENTS names the program (an absolute path that ends in codex) and ROUNDTABLE_FAKE_MODEL the server
 * (http://127.0.0.1:PORT), which answers by tags in the prompt.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hostToolSchemas } from "../../../src/protocol/index.ts";
import { markedProcesses, survivors } from "../process/start-fake.ts";
import type { AgentProbe } from "../agent-probe.ts";
import { openHost, type CodexHost, type CodexOptions } from "./codex-host.ts";
import { patient } from "../../patience.ts";

const named = process.env["ROUNDTABLE_REAL_AGENTS"] ?? "";
const program = path.basename(named) === "codex" ? named : "";
const server = process.env["ROUNDTABLE_FAKE_MODEL"] ?? "";
const before = { ...process.env };
const limits = {
  silenceMs: patient(60_000),
  totalMs: patient(100_000),
  killSequence: { interruptMs: patient(3_000), sigintMs: 2_000, sigtermMs: 2_000, sigkillMs: 2_000 },
};

const CONFIG = `
model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${server}/v1"
wire_api = "responses"
env_key = "FAKE_API_KEY"
request_max_retries = 0
stream_max_retries = 2
stream_idle_timeout_ms = 5000
`;

describe.skipIf(program === "" || server === "")("the real Codex", () => {
  let home: CodexHost;
  let host: CodexHost;

  beforeAll(() => {
    home = openHost();
    mkdirSync(path.join(home.dataDir, ".codex"));
    writeFileSync(path.join(home.dataDir, ".codex", "config.toml"), CONFIG);
    Object.assign(process.env, { HOME: home.dataDir, FAKE_API_KEY: "nothing-secret" });
    delete process.env["CODEX_HOME"];
  });
  afterAll(async () => {
    process.env = before;
    await home.close();
  });
  beforeEach(() => {
    host = openHost();
  });
  afterEach(async () => {
    expect(await survivors(host.dataDir, 0)).toEqual([]);
    await host.close();
  });

  const start = (more: CodexOptions = {}): Promise<AgentProbe> =>
    host.start({ command: [program], env: ["FAKE_API_KEY"], limits, ...more });

  const made = (name: string): boolean => existsSync(path.join(host.dataDir, name));

  test("streams text and thoughts, calls a tool and reports usage", async () => {
    const probe = await start({ isReadOnly: true });
    const first = await probe.run("[[fake: thinking]]", "one");
    const second = await probe.run('[[fake: tool command="echo from-the-tool"]]', "two");
    await probe.agent.close();
    expect([first.outcome, second.outcome]).toEqual(["completed", "completed"]);
    expect(probe.all("thinking_done").length).toBeGreaterThan(0);
    expect(probe.all("tool_result").map(({ ok, result }) => [ok, result])).toEqual([[true, "from-the-tool\n"]]);
    expect(probe.all("text_done").at(-1)?.text).toContain("from-the-tool");
    expect(probe.all("member_session")).toHaveLength(1);
    expect([first, second].map((end) => (end.usage?.outputTokens ?? 0) > 0)).toEqual([true, true]);
  });

  test("an approval granted lets the command run and the file be changed, one refused does not", async () => {
    const probe = await start();
    const patch = "*** Begin Patch\\n*** Add File: patched.txt\\n+x\\n*** End Patch\\n";
    probe.ask(
      `[[fake: tool command="touch granted.txt"]] [[fake: tool name=apply_patch input="${patch}"]] [[fake: tool command="touch refused.txt"]]`,
    );
    let from = 0;
    for (const result of ["allow", "allow", false]) {
      const request = await probe.next("request", from);
      from = probe.events.indexOf(request) + 1;
      probe.agent.answer(request.callId, { result, error: null });
    }
    expect((await probe.next("turn_done")).outcome).toBe("completed");
    await probe.agent.close();
    expect(["granted.txt", "patched.txt", "refused.txt"].map(made)).toEqual([true, true, false]);
    expect(probe.all("tool_result").map(({ error }) => error?.code)).toEqual([undefined, undefined, "tool_denied"]);
    expect(probe.all("change_report").map(({ files }) => files.map((file) => file.path))).toEqual([["patched.txt"]]);
  });

  test("a read-only session denies a write, and the model sees it", async () => {
    const probe = await start({ isReadOnly: true });
    await probe.run('[[fake: tool command="touch written.txt"]]');
    await probe.agent.close();
    expect({ asked: probe.all("request"), made: made("written.txt") }).toEqual({ asked: [], made: false });
    expect(probe.all("text_done").at(-1)?.text).toContain("Read-only file system");
  });

  test("its own question is answered by the user", async () => {
    const probe = await start({ isReadOnly: true });
    const options = '[{"label":"Blue","description":"b"},{"label":"Red","description":"r"}]';
    const questions = `[{"id":"colour","header":"Colour","question":"Which?","options":${options}}]`;
    probe.ask(`[[fake: tool name=request_user_input args={"questions":${questions}}]]`);
    const { callId, request } = await probe.next("request");
    probe.agent.answer(callId, { result: { colour: "Blue" }, error: null });
    await probe.next("turn_done");
    await probe.agent.close();
    expect(request.method).toBe("question");
    expect(probe.all("text_done").at(-1)?.text).toContain('{"colour":{"answers":["Blue"]}}');
  });

  test.each(hostToolSchemas().map(({ name }) => name))(
    "our tool %s is called in process and answered",
    async (tool) => {
      const probe = await start({ isReadOnly: true });
      probe.ask(`[[fake: tool name=${tool} args={"to":"bob","text":"hi"}]]`);
      const call = await probe.next("host_call");
      probe.agent.answer(call.callId, { result: { said: `by ${tool}` }, error: null });
      await probe.next("turn_done");
      await probe.agent.close();
      expect(call).toMatchObject({ tool, args: { to: "bob", text: "hi" } });
      expect(probe.all("text_done").at(-1)?.text).toContain(`by ${tool}`);
    },
  );

  test("steers while text streams and while a tool runs", async () => {
    const probe = await start({ isReadOnly: true });
    for (const [turnId, text, on] of [
      ["one", "[[fake: slow n=200 delay=30]]", "text_delta"],
      ["two", '[[fake: tool command="sleep 1; echo slept"]]', "tool_call_start"],
    ] as const) {
      const from = probe.events.length;
      probe.ask(text, turnId);
      await probe.next(on, from);
      probe.agent.send({ kind: "steer", messageId: `steer-${turnId}`, text: `words for ${turnId} [[fake: echo]]` });
      expect((await probe.next("turn_done", from)).outcome).toBe("completed");
      expect(probe.all("text_done").at(-1)?.text).toContain(`words for ${turnId}`);
    }
    await probe.agent.close();
    expect(probe.all("steered").map(({ messageId }) => messageId)).toEqual(["steer-one", "steer-two"]);
  });

  test("an interrupt in text and in a tool stops at once, ends the command, and the next turn works", async () => {
    const probe = await start({ isReadOnly: true });
    for (const [turnId, text, on] of [
      ["one", "[[fake: slow n=400 delay=30]]", "text_delta"],
      ["two", '[[fake: tool command="setsid sleep 303 & tail -f /dev/null"]]', "tool_call_start"],
    ] as const) {
      const from = probe.events.length;
      probe.ask(text, turnId);
      await probe.next(on, from);
      probe.agent.interrupt();
      // By themselves they would go on for seconds, or for ever.
      expect((await probe.next("turn_done", from)).outcome).toBe("interrupted");
    }
    expect((await probe.run("[[fake: text]]", "three")).outcome).toBe("completed");
    const left = markedProcesses(host.dataDir).filter(({ command }) => /sleep 303|tail -f/.test(command));
    await probe.agent.close();
    expect(left).toEqual([]);
  });

  test("a thread is resumed by another host, also after the server was killed in the middle of a turn", async () => {
    const probe = await start({ isReadOnly: true });
    await probe.run("remember this [[fake: text]]", "one");
    const { nativeSessionId } = await probe.next("member_session");
    probe.ask("[[fake: slow n=400 delay=30]]", "two");
    await probe.next(
      "text_delta",
      probe.events.findIndex(({ type }) => type === "turn_done"),
    );
    for (const { pid } of markedProcesses(host.dataDir)) process.kill(pid, "SIGKILL");
    const crashed = await probe.next("turn_done", probe.events.findIndex(({ type }) => type === "turn_done") + 1);
    expect(crashed.error?.code).toBe("crashed");
    await probe.agent.close();
    const other = await start({ isReadOnly: true, nativeSessionId });
    const end = await other.run("again [[fake: echo]]");
    await other.agent.close();
    expect(other.all("text_done").at(-1)?.text).toContain("remember this");
    expect(other.all("warning").filter(({ code }) => code === "session_lost")).toEqual([]);
    expect(end.usage?.inputTokens).toBeLessThan(10_000);
  });

  test("an unknown thread becomes a new one, with a warning", async () => {
    const probe = await start({ isReadOnly: true, nativeSessionId: "01a1ddf4-1797-79d1-be96-000000000000" });
    expect((await probe.run("[[fake: text]]")).outcome).toBe("completed");
    await probe.agent.close();
    expect(probe.all("warning").map(({ code }) => code)).toContain("session_lost");
  });

  test("retries a dropped stream and retracts its text", async () => {
    const probe = await start({ isReadOnly: true });
    const end = await probe.run(`${Date.now()} [[fake: drop times=1]]`);
    await probe.agent.close();
    expect(end.outcome).toBe("completed");
    expect(probe.events.flatMap(({ type }) => (/retr/.test(type) ? [type] : []))).toEqual([
      "retrying",
      "text_retracted",
    ]);
    expect(probe.all("text_done").map(({ text }) => text)).toEqual(["Recovered after the scripted failures."]);
  });

  test("an error of the provider ends the turn with a reason, and the next turn works", async () => {
    const probe = await start({ isReadOnly: true });
    const codes = [];
    for (const tag of ["unauthorized", "rate-limit", "context-overflow", "error status=500"]) {
      codes.push((await probe.run(`[[fake: ${tag}]]`, tag)).error?.code);
    }
    expect((await probe.run("[[fake: text]]", "last")).outcome).toBe("completed");
    await probe.agent.close();
    expect(codes).toEqual(["unauthorized", "rate_limited", "context_overflow", "overloaded"]);
  });

  test("limits of the account are shown", async () => {
    const probe = await start({ isReadOnly: true });
    await probe.run("[[fake: text limits=85]]");
    await probe.agent.close();
    expect(probe.all("ui_status").map(({ text }) => text)).toEqual([expect.stringContaining("85 % used")]);
  });

  test("eight members work at once in one process", async () => {
    const names = ["ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal"];
    const tables = await Promise.all(names.map((name) => start({ name, isReadOnly: true })));
    const running = tables.map((probe, at) => probe.run(`for ${names[at]} [[fake: echo]]`));
    await Promise.all(tables.map((probe) => probe.next("text_delta")));
    const servers = markedProcesses(host.dataDir).filter(({ command }) => command.endsWith("app-server"));
    const ends = await Promise.all(running);
    await Promise.all(tables.map((probe) => probe.agent.close()));
    expect(servers).toHaveLength(1);
    expect(ends.map(({ outcome }) => outcome)).toEqual(names.map(() => "completed"));
    expect(tables.map((probe) => probe.text())).toEqual(
      names.map((name) => `turn 1; you said: for ${name} [[fake: echo]]`),
    );
  });

  test("npm's launcher is not among the processes", async () => {
    const probe = await start({ isReadOnly: true });
    await probe.run("[[fake: text]]");
    const commands = markedProcesses(host.dataDir).map(({ pid }) => readFileSync(`/proc/${pid}/comm`, "utf8").trim());
    await probe.agent.close();
    expect(commands).not.toContain("node");
  });
});
