import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { joinText } from "../join-text.ts";
import { hostilePrompts, OWNED_FILES } from "../hostile-prompts.ts";
import { FAKES, makeDataDir, markedProcesses, removeDataDir } from "../process/start-fake.ts";
import { readdirSync } from "node:fs";
import { startPi, type PiOptions, type PiProbe } from "./start-pi.ts";

const dataDir = makeDataDir();
let probe: PiProbe;
const start = async (options: PiOptions = {}): Promise<PiProbe> => {
  probe = await startPi({ dataDir, ...options });
  return probe;
};
const withFault = (fault: string): PiOptions => ({
  command: [process.execPath, path.join(FAKES, "pi.mjs"), `--fault=${fault}`],
});

afterEach(() => probe.leave());
afterAll(() => {
  expect(markedProcesses(dataDir)).toEqual([]);
  removeDataDir(dataDir);
});

describe("arguments, environment and prompts", () => {
  test("every hostile prompt reaches Pi byte for byte, with the same arguments, and nothing is executed", async () => {
    await start();
    for (const { name, text } of hostilePrompts) {
      const end = await probe.run(text, name);
      expect([name, end.outcome]).toEqual([name, "completed"]);
    }
    const got = probe.got();
    const argv = got.filter((one) => one.argv !== undefined);
    expect(argv).toHaveLength(1);
    expect(JSON.stringify(argv)).not.toContain("owned-by-");
    const prompts = got.flatMap(({ line = "{}" }) => {
      const { type, message } = JSON.parse(line) as { type?: string; message?: string };
      if (type !== "prompt" || message === undefined) return [];
      const [, said] = /^\/roundtable-[0-9a-f]{36} (.*)$/s.exec(message) ?? [];
      return [said === undefined ? message : (JSON.parse(said) as { text: string }).text];
    });
    expect(prompts.map((text, at) => text === hostilePrompts[at]?.text)).toEqual(hostilePrompts.map(() => true));
    expect(readdirSync(dataDir).filter((name) => OWNED_FILES.test(name))).toEqual([]);
  });

  test("the arguments hold the mode, the extension, the checked session and model, and what reading allows", async () => {
    await start({ isWritable: false, nativeSessionId: "0123-abc", model: "fake/fake-text" });
    await probe.run("hello");
    const argv = probe.got().findLast((one) => one.argv !== undefined)?.argv ?? [];
    const [mode, extension, tools, note, session, model] = [1, 3, 6, 8, 10, 12].map((at) => argv.slice(at, at + 2));
    expect(argv[5]).toBe("--no-approve");
    expect(mode).toEqual(["--mode", "rpc"]);
    expect(extension?.[0]).toBe("--extension");
    expect(tools?.[0]).toBe("--tools");
    expect(tools?.[1]?.split(",")).toEqual(expect.arrayContaining(["read", "grep", "find", "ls", "user_question"]));
    expect(tools?.[1]?.split(",")).not.toEqual(expect.arrayContaining(["bash"]));
    expect(note?.[0]).toBe("--append-system-prompt");
    expect([session, model]).toEqual([
      ["--session-id", "0123-abc"],
      ["--model", "fake/fake-text"],
    ]);
  });

  test("a model whose name is no argument is asked for over the input, where Pi does not know it", async () => {
    await start();
    probe.agent.send({ kind: "turn", turnId: "one", text: "hello", attachments: [], model: "--help me" });
    const end = await probe.next("turn_done");
    expect(end.error).toEqual({
      code: "model_not_found",
      message: 'pi rejected the turn: there is no model "--help me". Pi offers fake/fake-text, fake/fake-echo.',
      hint: "Give the member another model.",
    });
    const argv = probe.got().findLast((one) => one.argv !== undefined)?.argv ?? [];
    expect(argv).not.toContain("--model");
  });
});

describe("a Pi without agent_settled (0.73 and older)", () => {
  test("a turn ends with agent_end, once Pi says that it is idle", async () => {
    await start(withFault("unsettled"));
    expect(await probe.run("hello", "one")).toMatchObject({ outcome: "completed", usage: { outputTokens: 5 } });
    expect(await probe.run("again", "two")).toMatchObject({ outcome: "completed" });
    expect(probe.all("text_done").map(({ text }) => text)).toEqual(["You said: hello", "You said: again"]);
  });

  test("a retry after agent_end belongs to the turn", async () => {
    await start(withFault("unsettled"));
    expect(await probe.run("fail once")).toMatchObject({ outcome: "completed" });
    expect(probe.all("text_done").map(({ text }) => text)).toEqual(["At the second try."]);
    expect(probe.all("turn_done")).toHaveLength(1);
  });

  test("an interrupt ends the turn", async () => {
    await start(withFault("unsettled"));
    probe.ask("endless");
    await probe.next("text_delta");
    probe.agent.interrupt();
    expect(await probe.next("turn_done")).toMatchObject({ outcome: "interrupted" });
  });
});

describe("turns", () => {
  test("Pi is asked nothing while our extension has not said that it guards", async () => {
    await start(withFault("unguarded"));
    const end = await probe.run("hello");
    expect(end.error?.code).toBe("extension_missing");
  });

  test("a turn with another model switches first and is spoken after", async () => {
    await start();
    await probe.run("hello", "one");
    probe.agent.send({ kind: "turn", turnId: "two", text: "hello", attachments: [], model: "fake-echo" });
    await probe.next("turn_done", probe.events.length);
    const types = probe.got().flatMap(({ line = "{}" }) => (JSON.parse(line) as { type?: string }).type ?? []);
    expect(types.slice(-4)).toEqual(["prompt", "get_available_models", "set_model", "prompt"]);
  });

  test("retracts a broken answer when Pi retries, and shows the retry", async () => {
    await start();
    const end = await probe.run("fault retry");
    expect(joinText(probe.events.filter(({ type }) => !type.startsWith("member_")))).toEqual([
      { type: "text_delta", text: "half an ans" },
      { type: "text_done", text: "half an ans" },
      { type: "usage", usage: expect.anything() },
      { type: "text_retracted", reason: "terminated" },
      { type: "retrying", attempt: 1, of: 3, delayMs: 1, reason: "terminated" },
      { type: "text_delta", text: "a whole answer" },
      { type: "text_done", text: "a whole answer" },
      { type: "usage", usage: expect.anything() },
      { type: "context_update", used: 17, window: 1000, measured: true },
      end,
    ]);
    expect(end.outcome).toBe("completed");
  });

  test("an answer that ends in an error ends the turn errored, with what to do", async () => {
    await start();
    const end = await probe.run("fault error");
    expect(end).toMatchObject({
      outcome: "errored",
      error: { code: "unauthorized", message: "pi failed: 401: bad key." },
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
    });
    expect((await probe.run("no key")).error).toMatchObject({ code: "unauthorized" });
  });

  test("a compaction is shown, counted and changes the context", async () => {
    await start();
    const end = await probe.run("fault compaction");
    expect(probe.all("status")).toEqual([{ type: "status", state: "working", detail: "compacting its context" }]);
    expect(probe.all("compacted")).toEqual([
      { type: "compacted", native: true, before: 900, after: 100, summary: "s" },
    ]);
    expect(probe.all("context_update").map((one) => [one.used, one.measured])).toEqual([
      [100, false],
      [17, true],
    ]);
    expect(end.usage).toMatchObject({ inputTokens: 20, outputTokens: 10, costUsd: 1 });
  });

  test("warns of a session that Pi has lost, and the turn continues", async () => {
    await start({ nativeSessionId: "forgotten" });
    expect((await probe.run("hello")).outcome).toBe("completed");
    expect(probe.all("warning").map((one) => one.code)).toEqual(["session_lost"]);
    await probe.leave();
    await start({ nativeSessionId: "kept" });
    await probe.run("hello");
    expect([...probe.all("warning"), ...probe.all("member_session")]).toEqual([]);
  });
});

describe("requests", () => {
  test("an approval names the exact call with its hash; whatever is not an offered yes is a no", async () => {
    await start();
    for (const [result, error, isAllowed] of [
      ["allow", null, true],
      ["deny", null, false],
      [false, "expired", false],
      ["acceptForSession", null, false],
    ] as const) {
      const from = probe.events.length;
      probe.ask("ask");
      const event = await probe.next("request", from);
      expect(event).toEqual({
        type: "request",
        callId: event.callId,
        nativeToolId: "call-1",
        request: {
          method: "approval",
          title: "Pi wants to run a command",
          tool: "bash",
          call: "echo hi",
          callHash: "56a79f3b115448072387c2480044bfa2cf8f90e4f5fddd8c943b4e051b81f80b",
          options: [
            { label: "Allow once", value: "allow" },
            { label: "Deny", value: "deny" },
          ],
        },
      });
      probe.agent.answer(event.callId, { result, error, reason: "not now" });
      await probe.next("turn_done", from);
      const ended = probe.all("tool_result").at(-1);
      expect([result, ended?.ok, ended?.error?.code]).toEqual([
        result,
        isAllowed,
        isAllowed ? undefined : "tool_denied",
      ]);
      if (!isAllowed) expect(probe.got().at(-1)?.line).toContain("This was not run. The user wrote: not now");
    }
  });

  test("dialogs of other extensions are emitted and answered in their own format", async () => {
    await start();
    const replies = [
      ["select", "b", { value: "b" }],
      ["select", null, { cancelled: true }],
      ["confirm", true, { confirmed: true }],
      ["confirm", false, { confirmed: false }],
      ["input", "x", { value: "x" }],
      ["editor", "y", { value: "y" }],
    ] as const;
    for (const [method, result, reply] of replies) {
      const from = probe.events.length;
      probe.ask(`ask ${method}`);
      const event = await probe.next("request", from);
      expect([method, event.request.method]).toEqual([method, method]);
      probe.agent.answer(event.callId, { result, error: null });
      await probe.next("turn_done", from);
      expect(JSON.parse(probe.all("tool_result").at(-1)?.result ?? "null")).toEqual(reply);
    }
  });

  test("cancels a dialog of an unknown kind at once", async () => {
    await start();
    await probe.run("ask hologram");
    expect(probe.all("request")).toEqual([]);
    expect(probe.all("tool_result").map((one) => one.result)).toEqual(['{"cancelled":true}']);
    expect(probe.all("warning").map((one) => one.code)).toEqual(["protocol"]);
  });
});

describe("faults", () => {
  test("noise, unknown records and records without sense cost a warning each, not the turn", async () => {
    await start();
    expect((await probe.run("fault noise")).outcome).toBe("completed");
    expect(probe.text()).toBe("in between");
    expect(new Set(probe.all("warning").map((one) => one.code))).toEqual(new Set(["unreadable_line", "protocol"]));
  });

  test("lines that come byte by byte, and every kind of character, are read exactly", async () => {
    await start();
    await probe.run("fault split");
    expect(probe.all("text_done").map((one) => one.text)).toEqual(["é 中 👩‍👩‍👧‍👦 \u2028 \u2029 ende"]);
    expect(probe.all("warning")).toEqual([]);
  });

  test("a tool that begins or ends twice counts once", async () => {
    await start();
    expect((await probe.run("fault double")).outcome).toBe("completed");
    expect(probe.all("tool_call_start")).toHaveLength(1);
    expect(probe.all("tool_result").map((one) => one.result)).toEqual(["one"]);
  });

  test("warns of a line over the limit, and the turn continues", async () => {
    await start();
    expect((await probe.run("fault huge")).outcome).toBe("completed");
    expect(probe.all("warning").map((one) => one.code)).toEqual(["line_oversize"]);
    expect(probe.text()).toBe("after it");
  });

  test("a Pi that dies, at once or in the middle, ends the turn errored, and the next one starts it again", async () => {
    await start();
    const died = await probe.run("fault dies", "one");
    expect(died.error).toMatchObject({ code: "crashed", detail: expect.stringContaining("out of memory") });
    const half = await probe.run("fault half a line", "two");
    expect(half.error?.code).toBe("crashed");
    expect((await probe.run("hello", "three")).outcome).toBe("completed");
    await probe.leave();
    await start(withFault("dies"));
    expect((await probe.run("hello")).error).toMatchObject({
      code: "crashed",
      detail: expect.stringContaining("no such thing"),
    });
  });

  test("kills a Pi that ignores abort and signals, and the turn is interrupted", async () => {
    await start(withFault("deaf"));
    probe.ask("fault deaf");
    await probe.next("text_delta");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    await probe.leave();
    expect(markedProcesses(dataDir)).toEqual([]);
  });
});
