/** The adapter over a fake program that speaks the protocol: what the user is asked, what the program is told. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { describe, expect, onTestFinished, test, vi, type TestContext } from "vitest";
import { hostilePrompts, OWNED_FILES } from "../hostile-prompts.ts";
import { CANARIES } from "../process/promises.ts";
import { impatient, markedProcesses, survivors } from "../process/start-fake.ts";
import { settle } from "../agent-probe.ts";
import { startClaude, type ClaudeOptions, type ClaudeProbe } from "./start-claude.ts";

let probe: ClaudeProbe;
const start = async (more?: ClaudeOptions): Promise<ClaudeProbe> => (probe = await startFor({ onTestFinished }, more));

/** For a test that runs beside others, which says whose end is meant and keeps its own table. */
async function startFor(context: Pick<TestContext, "onTestFinished">, more?: ClaudeOptions): Promise<ClaudeProbe> {
  const one = await startClaude(more);
  context.onTestFinished(async () => {
    await one.agent.close();
    expect(await survivors(one.dataDir)).toEqual([]);
    await one.leave();
  });
  return one;
}

const ARGUMENTS = [
  "-p",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--verbose",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
  "--permission-mode=default",
  "--allowedTools=mcp__roundtable",
  "--setting-sources=user",
  '--settings={"disableAllHooks":true,"disableSkillShellExecution":true,"env":{"CLAUDE_CODE_SIMPLE":"0"}}',
  "--add-dir=.",
  "--disallowedTools=CronCreate,CronDelete,CronList,ScheduleWakeup,EnterWorktree,ExitWorktree",
];

/** What it was told after the handshake, as records. */
function told(): Record<string, unknown>[] {
  return probe.got().flatMap(({ line }) => (line === undefined ? [] : [JSON.parse(line) as Record<string, unknown>]));
}

function requestsOf(subtype: string): Record<string, unknown>[] {
  return told()
    .map((record) => (record["request"] ?? {}) as Record<string, unknown>)
    .filter((request) => request["subtype"] === subtype);
}

const argumentsOf = (): string[][] =>
  probe.got().flatMap(({ argv }) => (argv === undefined ? [] : [argv.filter((one) => !one.startsWith("--log="))]));

describe("asking the user", () => {
  const answers = [
    ["allow", { behavior: "allow", updatedInput: { command: "rm -f x" } }],
    ["deny", { behavior: "deny", message: expect.stringMatching(/^The user did not allow this/) }],
    [false, { behavior: "deny", message: expect.stringMatching(/^The user did not allow this/) }],
    [true, { behavior: "deny", message: expect.stringMatching(/^The user did not allow this/) }],
    ["scope-0", { behavior: "deny", message: expect.stringMatching(/^The user did not allow this/) }],
  ] as const;
  test.each(answers)("the answer %j lets run exactly what was shown, or nothing", async (answer, expected) => {
    await start();
    probe.ask("approve");
    const request = await probe.next("request");
    expect(request).toEqual({
      type: "request",
      callId: expect.any(String),
      nativeToolId: probe.all("tool_call_start")[0]?.nativeId,
      request: {
        method: "approval",
        title: "Run a command",
        tool: "Bash",
        call: "rm -f x",
        callHash: createHash("sha256").update("rm -f x").digest("hex"),
        options: [
          { label: "Allow once", value: "allow" },
          { label: "Deny", value: "deny" },
        ],
      },
    });
    probe.agent.answer(request.callId, { result: answer, error: null });
    expect((await probe.next("turn_done")).outcome).toBe("completed");
    const [{ result, error } = { result: "", error: undefined }] = probe.all("tool_result");
    expect(JSON.parse(result ?? error?.message ?? "")).toEqual(expected);
  });

  test("a request without an answer in time is denied with that reason", async () => {
    await start();
    probe.ask("approve");
    probe.agent.answer((await probe.next("request")).callId, { result: false, error: "expired" });
    await probe.next("turn_done");
    expect(probe.all("tool_result")[0]?.error?.message).toContain("No answer in time");
  });

  test("a question of the program is a question to the user, and its answer goes back by the question", async () => {
    await start({ isWritable: false });
    probe.ask("ask");
    const { callId, request } = await probe.next("request");
    const options = [
      { label: "Blue", value: "Blue", description: "sky" },
      { label: "Red", value: "Red" },
    ];
    const question = { id: "1", text: "Which color?", options, multiple: false, freeText: true };
    expect(request).toEqual({ method: "question", title: "Color", questions: [question] });
    probe.agent.answer(callId, { result: { 1: "Green" }, error: null });
    await probe.next("turn_done");
    expect(JSON.parse(probe.all("tool_result")[0]?.result ?? "")).toMatchObject({
      behavior: "allow",
      updatedInput: { answers: { "Which color?": "Green" } },
    });
  });

  test("a read-only session denies without asking", async () => {
    await start({ isWritable: false });
    expect((await probe.run("approve")).outcome).toBe("completed");
    expect(probe.all("request")).toEqual([]);
    expect(probe.all("tool_result")[0]?.error?.message).toContain("This session is read-only");
    expect(requestsOf("initialize")).toEqual([
      {
        subtype: "initialize",
        sdkMcpServers: ["roundtable"],
        hooks: {
          PreToolUse: [{ hookCallbackIds: ["call"] }],
          UserPromptSubmit: [{ hookCallbackIds: ["prompt"] }],
          WorktreeCreate: [{ hookCallbackIds: ["worktree"] }],
        },
      },
    ]);
  });

  test("a read-only session that no sandbox guards has no shell, and says what guards it", async () => {
    await start({ isWritable: false });
    await probe.run("hello");
    expect(argumentsOf()).toEqual([[...ARGUMENTS.slice(0, -1), `${ARGUMENTS.at(-1)},Bash,PowerShell,Monitor`]]);
    expect(probe.all("member_guard")).toMatchObject([{ guard: "own_mode" }]);
  });

  test("without a shell it has a tool that runs a few programs, here and without asking anybody", async () => {
    await start({ isWritable: false });
    await probe.run("inspect", "one");
    await probe.run("inspect badly", "two");
    const results = probe
      .all("tool_result")
      .map(({ result }) => (JSON.parse(result ?? "") as { result: object }).result);
    expect(results).toEqual([
      { content: [{ type: "text", text: expect.stringContaining("fake-claude.log\n") }] },
      { content: [{ type: "text", text: expect.stringContaining("sh cannot be run here") }], isError: true },
    ]);
    expect(probe.all("host_call")).toEqual([]);
    expect(probe.all("tool_call_start")[0]).toMatchObject({ name: "inspect", kind: "read", title: "ls" });
  });

  test("a program whose settings switch hooks off gets no turn", async () => {
    await start();
    const { outcome, error } = await probe.run("fault:no-hooks");
    expect([outcome, error?.code]).toEqual(["errored", "unguarded"]);
    expect(probe.all("member_guard")).toMatchObject([{ guard: "asks_first" }, { guard: "unguarded" }]);
  });

  test("calls a host tool in process, also where everything else is denied", async () => {
    await start({ isWritable: false });
    probe.ask("table");
    const call = await probe.next("host_call");
    expect(call).toEqual({ type: "host_call", callId: call.callId, tool: "agents_list", args: {} });
    probe.agent.answer(call.callId, { result: { you: "claude" }, error: null });
    await probe.next("turn_done");
    expect(JSON.parse(probe.all("tool_result")[0]?.result ?? "")).toEqual({
      jsonrpc: "2.0",
      id: 7,
      result: { content: [{ type: "text", text: '{"you":"claude"}' }] },
    });
  });
});

describe("one process for its member", () => {
  test("serves many turns, each with its own usage", async () => {
    await start();
    const ends = [await probe.run("hello", "one"), await probe.run("hello", "two")];
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, cacheWriteTokens: 2 };
    expect(ends.map((end) => end.usage)).toEqual([
      { ...usage, costUsd: 0.01 },
      { ...usage, costUsd: 0.01 },
    ]);
    expect(argumentsOf()).toEqual([ARGUMENTS]);
    expect(probe.all("member_session")).toHaveLength(1);
  });

  test("switches the model once between turns and reports a rejected one", async () => {
    await start({ model: "first" });
    const send = (turnId: string, model?: string): Promise<unknown> => {
      const from = probe.events.length;
      const named = model === undefined ? {} : { model };
      probe.agent.send({ kind: "turn", turnId, text: "hello", attachments: [], ...named });
      return probe.next("turn_done", from);
    };
    await send("one", "first");
    await send("two", "second");
    await send("three", "second");
    await send("four");
    await send("five", "no-such-model");
    expect(argumentsOf()).toEqual([[...ARGUMENTS, "--model=first"]]);
    expect(requestsOf("set_model").map((request) => request["model"])).toEqual(["second", "first", "no-such-model"]);
    expect(probe.all("warning").map(({ code }) => code)).toEqual(["model_not_set"]);
  });

  test("passes a model name that looks like a flag through stdin", async () => {
    await start({ model: "--dangerously-skip-permissions" });
    await probe.run("hello");
    expect(argumentsOf()).toEqual([ARGUMENTS]);
    expect(requestsOf("set_model").map((request) => request["model"])).toEqual(["--dangerously-skip-permissions"]);
  });

  test("a known session is resumed by its id", async () => {
    await start({ nativeSessionId: "a-session" });
    await probe.run("hello");
    expect(argumentsOf()).toEqual([[...ARGUMENTS, "--resume=a-session"]]);
    expect(probe.all("member_session")).toEqual([{ type: "member_session", nativeSessionId: "a-session" }]);
  });

  test("restarts a lost session, answers the turn and warns of the loss", async () => {
    await start({ nativeSessionId: "forgotten" });
    const end = await probe.run("hello");
    expect(end.outcome).toBe("completed");
    expect(argumentsOf()).toEqual([[...ARGUMENTS, "--resume=forgotten"], ARGUMENTS]);
    expect(probe.all("warning").map(({ code }) => code)).toEqual(["session_lost"]);
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
  });

  test("an interrupt during the restart ends the turn once", async () => {
    await start({ nativeSessionId: "forgotten" });
    probe.ask("a long one");
    await probe.next("warning");
    probe.agent.interrupt();
    await probe.next("turn_done");
    await settle();
    expect(probe.all("turn_done").map(({ outcome }) => outcome)).toEqual(["interrupted"]);
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
  });
});

describe("hostile prompts", () => {
  test("reach the program byte for byte, marked as text, with the same arguments, and nothing is run", async () => {
    await start();
    for (const { name, text } of hostilePrompts) expect((await probe.run(text, name)).outcome).toBe("completed");
    const users = told().filter((record) => record["type"] === "user");
    expect(users.map((record) => (record["message"] as { content: string }).content)).toEqual(
      hostilePrompts.map(({ text }) => text),
    );
    expect(users.every((record) => record["text_not_typed"] === true)).toBe(true);
    expect(argumentsOf()).toEqual([ARGUMENTS]);
    expect(readdirSync(probe.dataDir).filter((name) => OWNED_FILES.test(name))).toEqual([]);
  });

  test("a steer is text as well", async () => {
    await start();
    probe.ask("a long one");
    await probe.next("text_delta");
    probe.agent.send({ kind: "steer", messageId: "m", text: "/clear" });
    await probe.next("steered");
    const record = told().findLast((one) => one["type"] === "user");
    expect(record).toMatchObject({ message: { content: "/clear" }, text_not_typed: true, priority: "next" });
  });
});

test("neither our own variables nor other vendors' keys reach the program", async () => {
  for (const [name, value] of Object.entries({ ...CANARIES, CLAUDE_CONFIG_DIR: "/nowhere" })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  await start({ env: ["ANTHROPIC_API_KEY"] });
  await probe.run("hello");
  const env = probe.got()[0]?.env ?? [];
  const foreign = /^(ROUNDTABLE_(TOKEN|HOME)|NODE_CHANNEL_|CLAUDECODE|CLAUDE_CODE_ENTRYPOINT|CODEX_|OPENAI_|GEMINI_)/;
  expect(Object.keys(CANARIES).filter((name) => foreign.test(name))).toHaveLength(9);
  expect(env.filter((name) => foreign.test(name))).toEqual([]);
  expect(env).toContain("ANTHROPIC_API_KEY");
  expect(env).toContain("CLAUDE_CONFIG_DIR");
  expect(env).toContain("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
});

describe.concurrent("a program that does wrong", () => {
  const outcomes: [fault: string, outcome: string, code: string | undefined][] = [
    ["split", "completed", undefined],
    ["noise", "completed", undefined],
    ["twice", "completed", undefined],
    ["long-line", "completed", undefined],
    ["flood", "completed", undefined],
    ["crash", "errored", "crashed"],
    ["killed", "errored", "crashed"],
    ["half-line", "errored", "crashed"],
    ["grandchild", "errored", "crashed"],
    ["shut-stdout", "errored", "output_closed"],
    ["silent", "errored", "silent"],
  ];
  test.for(outcomes)(
    "fault %s: the turn is %s, once, and the next one is answered",
    async ([fault, outcome, code], context) => {
      const limits = fault === "silent" ? { limits: { ...impatient, silenceWarnMs: 2_000, silenceMs: 3_000 } } : {};
      const probe = await startFor(context, limits);
      const end = await probe.run(`ü中👩‍👧 fault:${fault}`, "one");
      expect([end.outcome, end.error?.code]).toEqual([outcome, code]);
      if (outcome === "completed") expect(probe.all("text_done").at(-1)?.text).toBe(`you said: ü中👩‍👧 fault:${fault}`);
      expect((await probe.run("hello", "two")).outcome).toBe("completed");
      expect(probe.all("turn_done").map(({ turnId }) => turnId)).toEqual(["one", "two"]);
      const started = probe.all("tool_call_start").map(({ nativeId }) => nativeId);
      expect(probe.all("tool_result").map(({ nativeId }) => nativeId)).toEqual(started);
    },
  );

  test("noise is shown, records of tomorrow are not", async (context) => {
    const probe = await startFor(context);
    await probe.run("fault:noise");
    expect(probe.all("warning").map(({ code, detail }) => [code, detail])).toEqual([
      ["unreadable_line", "plainly not json"],
      ["unreadable_line", "[1,2]"],
    ]);
  });

  test("an interrupt kills an unresponsive program and everything it started", async (context) => {
    const probe = await startFor(context, { limits: impatient });
    probe.ask("fault:deaf");
    await probe.next("text_done");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
    expect(markedProcesses(probe.dataDir)).toHaveLength(1);
  });
});
