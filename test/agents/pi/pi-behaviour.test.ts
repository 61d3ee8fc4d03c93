import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { asSaid } from "../as-said.ts";
import { hostilePrompts, OWNED_FILES } from "../hostile-prompts.ts";
import { FAKES, makeDataDir, markedProcesses, removeDataDir } from "../process/seat-fake.ts";
import { readdirSync } from "node:fs";
import { seatPi, type PiSeatOptions, type SeatedPi } from "./seat-pi.ts";

const dataDir = makeDataDir();
let table: SeatedPi;
const seat = async (options: PiSeatOptions = {}): Promise<SeatedPi> => {
  table = await seatPi({ dataDir, ...options });
  return table;
};
const withFault = (fault: string): PiSeatOptions => ({
  command: [process.execPath, path.join(FAKES, "pi.mjs"), `--fault=${fault}`],
});

afterEach(() => table.leave());
afterAll(() => {
  expect(markedProcesses(dataDir)).toEqual([]);
  removeDataDir(dataDir);
});

describe("arguments, environment and prompts", () => {
  test("every hostile prompt reaches Pi byte for byte, with the same arguments, and nothing is executed", async () => {
    await seat();
    for (const { name, text } of hostilePrompts) {
      const end = await table.run(text, name);
      expect([name, end.outcome]).toEqual([name, "completed"]);
    }
    const got = table.got();
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
    await seat({ isWritable: false, nativeSessionId: "0123-abc", model: "fake/fake-text" });
    await table.run("hello");
    const argv = table.got().findLast((one) => one.argv !== undefined)?.argv ?? [];
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
    await seat();
    table.agent.send({ kind: "turn", turnId: "one", text: "hello", attachments: [], model: "--help me" });
    const end = await table.next("turn_done");
    expect(end.error).toEqual({
      code: "model_not_found",
      message: 'pi rejected the turn: there is no model "--help me". Pi offers fake/fake-text, fake/fake-echo.',
      hint: "Give the member another model.",
    });
    const argv = table.got().findLast((one) => one.argv !== undefined)?.argv ?? [];
    expect(argv).not.toContain("--model");
  });
});

describe("a Pi without agent_settled (0.73 and older)", () => {
  test("a turn ends with agent_end, once Pi says that it is idle", async () => {
    await seat(withFault("unsettled"));
    expect(await table.run("hello", "one")).toMatchObject({ outcome: "completed", usage: { outputTokens: 5 } });
    expect(await table.run("again", "two")).toMatchObject({ outcome: "completed" });
    expect(table.all("text_done").map(({ text }) => text)).toEqual(["You said: hello", "You said: again"]);
  });

  test("a retry after agent_end belongs to the turn", async () => {
    await seat(withFault("unsettled"));
    expect(await table.run("fail once")).toMatchObject({ outcome: "completed" });
    expect(table.all("text_done").map(({ text }) => text)).toEqual(["At the second try."]);
    expect(table.all("turn_done")).toHaveLength(1);
  });

  test("an interrupt ends the turn", async () => {
    await seat(withFault("unsettled"));
    table.ask("endless");
    await table.next("text_delta");
    table.agent.interrupt();
    expect(await table.next("turn_done")).toMatchObject({ outcome: "interrupted" });
  });
});

describe("turns", () => {
  test("Pi is asked nothing while our extension has not said that it guards", async () => {
    await seat(withFault("unguarded"));
    const end = await table.run("hello");
    expect(end.error?.code).toBe("extension_missing");
  });

  test("a turn with another model switches first and is spoken after", async () => {
    await seat();
    await table.run("hello", "one");
    table.agent.send({ kind: "turn", turnId: "two", text: "hello", attachments: [], model: "fake-echo" });
    await table.next("turn_done", table.events.length);
    const types = table.got().flatMap(({ line = "{}" }) => (JSON.parse(line) as { type?: string }).type ?? []);
    expect(types.slice(-4)).toEqual(["prompt", "get_available_models", "set_model", "prompt"]);
  });

  test("a broken answer is taken back when Pi asks again, and the retry is shown", async () => {
    await seat();
    const end = await table.run("fault retry");
    expect(asSaid(table.events.filter(({ type }) => !type.startsWith("member_")))).toEqual([
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
    await seat();
    const end = await table.run("fault error");
    expect(end).toMatchObject({
      outcome: "errored",
      error: { code: "unauthorized", message: "pi failed: 401: bad key." },
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
    });
    expect((await table.run("no key")).error).toMatchObject({ code: "unauthorized" });
  });

  test("a compaction is shown, counted and changes the context", async () => {
    await seat();
    const end = await table.run("fault compaction");
    expect(table.all("status")).toEqual([{ type: "status", state: "working", detail: "compacting its context" }]);
    expect(table.all("compacted")).toEqual([
      { type: "compacted", native: true, before: 900, after: 100, summary: "s" },
    ]);
    expect(table.all("context_update").map((one) => [one.used, one.measured])).toEqual([
      [100, false],
      [17, true],
    ]);
    expect(end.usage).toMatchObject({ inputTokens: 20, outputTokens: 10, costUsd: 1 });
  });

  test("a session that Pi has forgotten is said, and the turn goes on", async () => {
    await seat({ nativeSessionId: "forgotten" });
    expect((await table.run("hello")).outcome).toBe("completed");
    expect(table.all("warning").map((one) => one.code)).toEqual(["session_lost"]);
    await table.leave();
    await seat({ nativeSessionId: "kept" });
    await table.run("hello");
    expect([...table.all("warning"), ...table.all("member_session")]).toEqual([]);
  });
});

describe("requests", () => {
  test("an approval names the exact call with its hash; whatever is not an offered yes is a no", async () => {
    await seat();
    for (const [result, error, isAllowed] of [
      ["allow", null, true],
      ["deny", null, false],
      [false, "expired", false],
      ["acceptForSession", null, false],
    ] as const) {
      const from = table.events.length;
      table.ask("ask");
      const event = await table.next("request", from);
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
      table.agent.answer(event.callId, { result, error, reason: "not now" });
      await table.next("turn_done", from);
      const ended = table.all("tool_result").at(-1);
      expect([result, ended?.ok, ended?.error?.code]).toEqual([
        result,
        isAllowed,
        isAllowed ? undefined : "tool_denied",
      ]);
      if (!isAllowed) expect(table.got().at(-1)?.line).toContain("This was not run. The user says: not now");
    }
  });

  test("dialogs of other extensions come up as they are, and are answered in their own way", async () => {
    await seat();
    const replies = [
      ["select", "b", { value: "b" }],
      ["select", null, { cancelled: true }],
      ["confirm", true, { confirmed: true }],
      ["confirm", false, { confirmed: false }],
      ["input", "x", { value: "x" }],
      ["editor", "y", { value: "y" }],
    ] as const;
    for (const [method, result, reply] of replies) {
      const from = table.events.length;
      table.ask(`ask ${method}`);
      const event = await table.next("request", from);
      expect([method, event.request.method]).toEqual([method, method]);
      table.agent.answer(event.callId, { result, error: null });
      await table.next("turn_done", from);
      expect(JSON.parse(table.all("tool_result").at(-1)?.result ?? "null")).toEqual(reply);
    }
  });

  test("a dialog of a kind that nobody knows is cancelled at once", async () => {
    await seat();
    await table.run("ask hologram");
    expect(table.all("request")).toEqual([]);
    expect(table.all("tool_result").map((one) => one.result)).toEqual(['{"cancelled":true}']);
    expect(table.all("warning").map((one) => one.code)).toEqual(["protocol"]);
  });
});

describe("faults", () => {
  test("noise, unknown records and records without sense cost a warning each, not the turn", async () => {
    await seat();
    expect((await table.run("fault noise")).outcome).toBe("completed");
    expect(table.text()).toBe("in between");
    expect(new Set(table.all("warning").map((one) => one.code))).toEqual(new Set(["unreadable_line", "protocol"]));
  });

  test("lines that come byte by byte, and every kind of character, are read exactly", async () => {
    await seat();
    await table.run("fault split");
    expect(table.all("text_done").map((one) => one.text)).toEqual(["é 中 👩‍👩‍👧‍👦 \u2028 \u2029 ende"]);
    expect(table.all("warning")).toEqual([]);
  });

  test("a tool that begins or ends twice counts once", async () => {
    await seat();
    expect((await table.run("fault double")).outcome).toBe("completed");
    expect(table.all("tool_call_start")).toHaveLength(1);
    expect(table.all("tool_result").map((one) => one.result)).toEqual(["one"]);
  });

  test("a line that is too long is said, and the turn goes on", async () => {
    await seat();
    expect((await table.run("fault huge")).outcome).toBe("completed");
    expect(table.all("warning").map((one) => one.code)).toEqual(["line_oversize"]);
    expect(table.text()).toBe("after it");
  });

  test("a Pi that dies, at once or in the middle, ends the turn errored, and the next one starts it again", async () => {
    await seat();
    const died = await table.run("fault dies", "one");
    expect(died.error).toMatchObject({ code: "crashed", detail: expect.stringContaining("out of memory") });
    const half = await table.run("fault half a line", "two");
    expect(half.error?.code).toBe("crashed");
    expect((await table.run("hello", "three")).outcome).toBe("completed");
    await table.leave();
    await seat(withFault("dies"));
    expect((await table.run("hello")).error).toMatchObject({
      code: "crashed",
      detail: expect.stringContaining("no such thing"),
    });
  });

  test("a Pi that hears neither abort nor signals is killed, and the turn is interrupted", async () => {
    await seat(withFault("deaf"));
    table.ask("fault deaf");
    await table.next("text_delta");
    table.agent.interrupt();
    expect((await table.next("turn_done")).outcome).toBe("interrupted");
    await table.leave();
    expect(markedProcesses(dataDir)).toEqual([]);
  });
});
