/** What a member driven by the Agent Client Protocol does, on a program that speaks it. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi, type TestContext } from "vitest";
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import { createAcpAgent } from "../../../src/agents/drivers/acp/adapter.ts";
import { hostServerName } from "../../../src/agents/host-tools/server-name.ts";
import { createCursorAgent } from "../../../src/agents/drivers/cursor/adapter.ts";
import { FAKES, impatient, shortLimits } from "../process/start-fake.ts";
import { patient } from "../../patience.ts";
import { settle, startAgent } from "../agent-probe.ts";
import { startAcpFake, type AcpFakeOptions, type AcpProbe } from "./start-acp-fake.ts";

/** Of a test that runs beside others the context is given, which knows whose end is meant. */
async function start(
  options: AcpFakeOptions = {},
  context: Pick<TestContext, "onTestFinished"> = { onTestFinished },
): Promise<AcpProbe> {
  const probe = await startAcpFake(options);
  context.onTestFinished(async () => expect(await probe.leave()).toEqual([]));
  return probe;
}

afterEach(() => void vi.unstubAllEnvs());

const OWN_SERVER = hostServerName({ sessionId: "session", member: "member" });

/** What the fake says of itself in its last words. */
function lastMessage(probe: AcpProbe): Record<string, unknown> {
  return JSON.parse(probe.all("text_delta").at(-1)?.text ?? "{}") as Record<string, unknown>;
}

describe("opening a session", () => {
  test("no login is made while the agent opens a session without one", async () => {
    vi.stubEnv("GEMINI_API_KEY", "key");
    const probe = await start({ kind: "cursor", spec: { env: ["GEMINI_API_KEY"] } });
    await probe.run("facts");
    expect(probe.events.map(({ type }) => type)).toEqual([
      "member_session",
      "member_models",
      "member_guard",
      "text_delta",
      "text_done",
      "turn_done",
    ]);
  });

  test("an agent that wants a login is logged in by the way that fits", async () => {
    const probe = await start({ kind: "cursor", flags: ["--auth", "cursor_login"] });
    expect((await probe.run("hello")).outcome).toBe("completed");
  });

  test("where no way fits, each turn tries again and says how to log in", async () => {
    const probe = await start({ flags: ["--auth", "fake_login"] });
    const ends = [await probe.run("hello", "one"), await probe.run("hello", "two")];
    const error = {
      code: "auth_required",
      message: "member is not logged in: Authentication required (code -32000).",
      hint: "Ways to log in: Run `fake login`; Cursor; Key.",
    };
    const errored = { type: "turn_done", outcome: "errored", reason: "auth_required", error };
    expect(ends).toEqual([
      { ...errored, turnId: "one" },
      { ...errored, turnId: "two" },
    ]);
  });

  test("another protocol version is reported and does not crash the member", async () => {
    const probe = await start({ flags: ["--version", "2"] });
    expect((await probe.run("hello")).error?.message).toBe(
      "member speaks version 2 of the agent protocol; version 1 is needed. Install a version that supports it.",
    );
  });

  test.each([{ flags: [] }, { flags: ["--late-history"] }, { flags: ["--resume"] }])(
    "resumes an earlier session without repeating its history ($flags)",
    async ({ flags }) => {
      const probe = await start({ flags, setup: { nativeSessionId: "fake-session-1" } });
      await probe.run("facts");
      expect(lastMessage(probe)["opening"]).toMatchObject({ how: "again" });
      expect(probe.events.map(({ type }) => type)).toEqual([
        "member_session",
        "member_models",
        "member_guard",
        "text_delta",
        "text_done",
        "turn_done",
      ]);
    },
  );

  test.each([
    { flags: ["--forgets"], why: 'Invalid session identifier "fake-session-1".' },
    { flags: ["--no-load"], why: "it cannot resume sessions" },
  ])("replaces a session that cannot be resumed, with a warning ($why)", async ({ flags, why }) => {
    const probe = await start({ flags, setup: { nativeSessionId: "fake-session-1" } });
    await probe.run("facts");
    expect(probe.all("warning")).toEqual([
      {
        type: "warning",
        code: "session_lost",
        message: `member could not resume its session (${why}) and started a new one. The conversation is sent to it again, but what it read and tried before is lost.`,
      },
    ]);
    expect(lastMessage(probe)["opening"]).toMatchObject({ how: "new" });
  });

  test("after a crash the next turn takes the session up again", async () => {
    const probe = await start();
    expect((await probe.run("crash", "one")).error).toEqual({
      code: "crashed",
      message: "member exited before its answer was complete (exit code 3).",
      hint: "Run its command in a terminal to check that it works, then ask again.",
      detail: "out of memory",
      exitCode: 3,
    });
    await probe.run("facts", "two");
    expect(lastMessage(probe)["opening"]).toMatchObject({ how: "again" });
  });

  test("sets the model before the prompt and reports a rejected one once", async () => {
    const probe = await start({ spec: { model: "large" } });
    await probe.run("facts");
    expect(lastMessage(probe)["model"]).toBe("large");
    for (const turnId of ["two", "three"]) {
      const from = probe.events.length;
      probe.agent.send({ kind: "turn", turnId, text: "facts", attachments: [], model: "broken" });
      await probe.next("turn_done", from);
    }
    const reason = "model is out of order";
    expect(probe.all("model_fallback")).toEqual([
      { type: "model_fallback", preferred: "broken", actual: "large", reason },
    ]);
  });

  test("a session leaves a mode in which nobody is asked; a read-only one takes the agent's own for that", async () => {
    const yolo = await start({ flags: ["--yolo"], setup: { writable: false } });
    await yolo.run("facts");
    expect(lastMessage(yolo)["mode"]).toBe("ask");
    expect(yolo.all("member_guard").map(({ guard }) => guard)).toEqual(["own_mode"]);
    const writable = await start({ flags: ["--yolo"] });
    await writable.run("facts");
    expect(lastMessage(writable)["mode"]).toBe("default");
    expect(writable.all("member_guard").map(({ guard }) => guard)).toEqual(["unguarded"]);
  });

  test("tool servers are passed in, those over HTTP where the agent takes them", async () => {
    const local = { name: "hub", command: "/bin/hub", args: ["--x"], env: [{ name: "TOKEN", value: "t" }] };
    const web = { type: "http", name: "web", url: "http://127.0.0.1:1/", headers: [] } as const;
    const options = { mcpServers: [local, web] };
    const without = await start({ options });
    await without.run("facts");
    const own = { name: OWN_SERVER };
    const { mcpServers, ...rest } = lastMessage(without)["opening"] as { mcpServers: unknown[] };
    expect(rest).toEqual({ how: "new", cwd: without.dataDir });
    expect(mcpServers).toEqual([local, expect.objectContaining(own)]);
    const taking = await start({ options, flags: ["--http"] });
    await taking.run("facts");
    expect(lastMessage(taking)["opening"]).toMatchObject({ mcpServers: [local, web, own] });
  });

  test("Cursor without a command is the first program of its names that really is Cursor's", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "roundtable-find-"));
    for (const [setup, script] of [
      ["other", "exit 1"],
      ["cursor", `exec "${process.execPath}" "${path.join(FAKES, "acp.mjs")}" "$@"`],
    ] as const) {
      mkdirSync(path.join(folder, setup));
      writeFileSync(path.join(folder, setup, "agent"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    mkdirSync(path.join(folder, "project"));
    vi.stubEnv("PATH", `${folder}/other:${folder}/cursor:${process.env["PATH"] ?? ""}`);
    const agent = createCursorAgent(
      { name: "cursor", kind: "cursor" },
      { sessionId: "session", cwd: path.join(folder, "project"), writable: true },
      { limits: shortLimits },
    );
    const probe = await startAgent(agent);
    expect((await probe.run("hello")).outcome).toBe("completed");
    await agent.close();
    rmSync(folder, { recursive: true });
  });

  test("kind acp without a command says what it lacks", async () => {
    const probe = await startAgent(
      createAcpAgent({ name: "mystery", kind: "acp" }, { sessionId: "session", cwd: "/", writable: false }),
    );
    expect((await probe.run("hello")).error).toEqual({
      code: "unsupported",
      message: 'Member "mystery" did not answer: a member of kind acp needs a command that starts it.',
      hint: 'Give it one, for example "command": ["gemini", "--acp"].',
    });
  });

  test("a program with a clean environment gets its own fixed variables and those that are named, no others", async () => {
    vi.stubEnv("FAKE_NAMED", "1");
    vi.stubEnv("FAKE_SECRET", "1");
    const environment = { variables: process.env, isClean: true };
    const spec = { env: ["FAKE_NAMED"] };
    const probe = await start({ kind: "opencode", spec, setup: { writable: false, environment } });
    await probe.run("facts");
    expect(lastMessage(probe)).toMatchObject({
      env: expect.toSatisfy((names: string[]) => names.every((name) => /^(FAKE_NAMED|OPENCODE_\w+)$/.test(name))),
      permission: expect.stringContaining(`"${OWN_SERVER}_*":"allow"`),
    });
  });
});

describe("asking", () => {
  const call = "touch owned";
  const approval: UiRequestBody = {
    method: "approval",
    title: "touch owned",
    tool: "execute",
    call,
    callHash: createHash("sha256").update(call).digest("hex"),
    options: [
      { label: "Allow once", value: "allow" },
      { label: "Deny", value: "deny" },
    ],
  };

  test.each([
    { answer: "allow", chosen: "once", isAllowed: true },
    { answer: true, chosen: "once", isAllowed: true },
    { answer: "deny", chosen: "no", isAllowed: false },
    { answer: false, chosen: "no", isAllowed: false },
    { answer: "always", chosen: "no", isAllowed: false },
  ])("what needs approval is allowed once or denied, never for good; $answer is $chosen", async (one) => {
    const probe = await start();
    probe.ask("ask");
    const { callId, request, nativeToolId } = await probe.next("request");
    expect({ request, nativeToolId }).toEqual({ request: approval, nativeToolId: "t1" });
    probe.agent.answer(callId, { result: one.answer, error: null });
    await probe.next("turn_done");
    expect(probe.text()).toBe(`answer: {"outcome":{"outcome":"selected","optionId":"${one.chosen}"}}`);
    const denied = { ok: false, error: { code: "tool_denied", message: "the user denied it" } };
    const result = one.isAllowed ? { ok: true, result: "", isOutcomeKnown: false } : denied;
    expect(probe.all("tool_result")).toEqual([{ type: "tool_result", nativeId: "t1", ...result }]);
  });

  test("sends the reason of a denial before the next prompt", async () => {
    const probe = await start();
    probe.ask("ask");
    const { callId } = await probe.next("request");
    probe.agent.answer(callId, { result: "deny", error: null, reason: "use pnpm" });
    await probe.next("turn_done");
    const error = { code: "tool_denied", message: "use pnpm" };
    expect(probe.all("tool_result").map((result) => result.error)).toEqual([error]);
    await probe.run("hello", "two");
    expect(probe.text()).toContain('The user denied "touch owned" and wrote: use pnpm');
    await probe.run("hello", "three");
    expect(probe.text().match(/use pnpm/g)).toHaveLength(1);
  });

  test("a request without an answer in time is denied", async () => {
    const probe = await start();
    probe.ask("ask");
    const { callId } = await probe.next("request");
    probe.agent.answer(callId, { result: false, error: "expired" });
    await probe.next("turn_done");
    expect(probe.all("tool_result").map(({ error }) => error)).toEqual([{ code: "tool_denied", message: "expired" }]);
  });

  test("denies commands in a read-only session without asking", async () => {
    const probe = await start({ setup: { writable: false } });
    await probe.run("ask");
    expect(probe.all("request")).toEqual([]);
    expect(probe.text()).toBe('answer: {"outcome":{"outcome":"selected","optionId":"no"}}');
    const error = { code: "tool_denied", message: "the session is read-only" };
    expect(probe.all("tool_result")).toEqual([{ type: "tool_result", nativeId: "t1", ok: false, error }]);
  });

  test("in a read-only session what changes nothing is still asked", async () => {
    const probe = await start({ setup: { writable: false } });
    probe.ask("fetch");
    const { callId } = await probe.next("request");
    probe.agent.answer(callId, { result: "allow", error: null });
    await probe.next("turn_done");
    expect(probe.text()).toContain('"optionId":"once"');
  });

  test("reports an unapproved change in a read-only session", async () => {
    const probe = await start({ setup: { writable: false } });
    await probe.run("writes");
    expect(probe.all("warning").map(({ code }) => code)).toEqual(["wrote_unasked"]);
    const diff = "--- /x/a.txt\n+++ /x/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    expect(probe.all("tool_result")).toEqual([{ type: "tool_result", nativeId: "t6", ok: true, result: "", diff }]);
  });

  test("files, terminals and unknown methods are answered as unknown", async () => {
    const probe = await start();
    await probe.run("files");
    expect(probe.text()).toBe("codes: -32601,-32601,-32601,-32601");
  });

  test("Cursor's questions come up as questions and go back as it wants them", async () => {
    const probe = await start({ kind: "cursor", flags: ["acp"] });
    probe.ask("question");
    const { callId, request } = await probe.next("request");
    expect(request).toEqual({
      method: "question",
      title: "Choose",
      questions: [
        {
          id: "q1",
          text: "Which?",
          options: [
            { label: "A", value: "a" },
            { label: "B", value: "b" },
          ],
          multiple: true,
          freeText: false,
        },
      ],
    });
    probe.agent.answer(callId, { result: { q1: ["a", "b"] }, error: null });
    await probe.next("turn_done");
    const answers = [{ questionId: "q1", selectedOptionIds: ["a", "b"] }];
    expect(probe.text()).toBe(`answer: ${JSON.stringify({ outcome: { outcome: "answered", answers } })}`);
  });

  test("Cursor's plan is shown, decided by the user, and kept up to date", async () => {
    const probe = await start({ kind: "cursor", flags: ["acp"] });
    probe.ask("blueprint");
    const { callId } = await probe.next("request");
    probe.agent.answer(callId, { result: "accept", error: null });
    await probe.next("turn_done");
    const plan = { type: "plan_update", planId: "turn-1" };
    expect(probe.all("plan_update")).toEqual([
      {
        ...plan,
        items: [
          { text: "Look", status: "pending" },
          { text: "Do", status: "pending" },
        ],
        explanation: "O\n\n# Plan",
      },
      {
        ...plan,
        items: [
          { text: "Look", status: "completed" },
          { text: "Do", status: "pending" },
        ],
      },
    ]);
    const accepted = { outcome: { outcome: "accepted" } };
    expect(probe.text()).toBe(`answer: ${JSON.stringify([accepted, accepted])}`);
  });
});

describe.concurrent("a turn", () => {
  test("texts, thoughts, plan, context and cost; strangers' words and unknown news are nothing", async (context) => {
    const probe = await start({}, context);
    await probe.run("thoughts");
    expect(probe.events.filter(({ type }) => type !== "member_models" && type !== "member_guard")).toEqual([
      { type: "member_session", nativeSessionId: "fake-session-1" },
      { type: "thinking_delta", text: "Let me " },
      { type: "thinking_delta", text: "think." },
      { type: "thinking_done" },
      { type: "text_delta", text: "First." },
      { type: "text_done" },
      { type: "text_delta", text: "Second." },
      { type: "text_done" },
      { type: "thinking_delta", text: "Hm." },
      {
        type: "plan_update",
        planId: "turn-1",
        items: [
          { text: "Look", status: "completed" },
          { text: "Do", status: "pending" },
        ],
      },
      { type: "context_update", used: 10, window: 100, measured: true },
      { type: "ui_notify", message: "It sent image, which is not shown.", notifyType: "info" },
      { type: "thinking_done" },
      {
        type: "turn_done",
        turnId: "turn-1",
        outcome: "completed",
        usage: { inputTokens: 10, outputTokens: 2, costUsd: 0.5 },
      },
    ]);
  });

  test("reports a failure with its code and inner reason", async (context) => {
    const probe = await start({}, context);
    const message = "member could not answer: the model is gone (code 500).";
    expect((await probe.run("failure")).error).toEqual({ code: "agent_error", message });
  });

  test("a turn that ends well without a word has failed", async (context) => {
    const probe = await start({}, context);
    const { outcome, error } = await probe.run("silent");
    expect({ outcome, code: error?.code }).toEqual({ outcome: "errored", code: "no_answer" });
  });

  test("shows a retry that Gemini CLI reports only on stderr", async (context) => {
    const probe = await start({ flags: ["--as", "gemini-cli"] }, context);
    expect((await probe.run("retries")).outcome).toBe("completed");
    expect(probe.all("retrying")).toEqual([
      { type: "retrying", attempt: 1, of: 10, delayMs: 0, reason: "HTTP 429: ApiError: quota exceeded" },
    ]);
    const other = await start({}, context);
    await other.run("retries");
    expect(other.all("retrying")).toEqual([]);
  });

  test("what the agent said on its standard error explains a failure that it did not explain itself", async (context) => {
    const probe = await start({}, context);
    expect((await probe.run("mumbling")).error).toMatchObject({ code: "no_answer", detail: "upstream said no" });
  });

  test("what it said there counts also when we were held up and read the end of the turn first", async (context) => {
    const probe = await start({}, context);
    await probe.run("facts", "one");
    const from = probe.events.length;
    probe.ask("murmuring", "two");
    await settle();
    // Nothing of this process runs while the agent goes on to the end of its turn.
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (let look = 0; look < 2_000 && !existsSync(path.join(probe.dataDir, "murmured")); look++)
      Atomics.wait(cell, 0, 0, 5);
    const { error } = await probe.next("turn_done", from);
    expect(error).toMatchObject({ code: "no_answer", detail: "upstream said no" });
  });

  test("a refusal is an error, and a limit of the model is a reason", async (context) => {
    const probe = await start({}, context);
    expect((await probe.run("refusal", "one")).error?.code).toBe("refused");
    expect(await probe.run("exhausted", "two")).toMatchObject({ outcome: "completed", reason: "max_tokens" });
  });

  test("an interrupt withdraws open requests, and the program serves the next turn", async (context) => {
    const probe = await start({}, context);
    probe.ask("ask", "one");
    await probe.next("request");
    probe.agent.interrupt();
    await probe.next("turn_done");
    await probe.run("facts", "two");
    expect(lastMessage(probe)["takenBack"]).toBe(1);
    expect(probe.all("member_session")).toHaveLength(1);
  });

  test("kills an agent that ignores cancel; the next turn resumes its session", async (context) => {
    const probe = await start({ flags: ["--deaf"], options: { limits: impatient } }, context);
    probe.ask("long", "one");
    await probe.next("text_delta");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
    await probe.run("facts", "two");
    expect(lastMessage(probe)["opening"]).toMatchObject({ how: "again" });
  });

  test("a handshake that never ends can be interrupted", async (context) => {
    const probe = await start({ flags: ["--mute"] }, context);
    probe.ask("hello");
    probe.agent.interrupt();
    expect((await probe.next("turn_done")).outcome).toBe("interrupted");
  });

  test("opencode takes a steer into the turn, which ends when both prompts are answered", async (context) => {
    const probe = await start({ kind: "opencode" }, context);
    probe.ask("long");
    await probe.next("text_delta");
    probe.agent.send({ kind: "steer", messageId: "m", text: "more" });
    await probe.next("steered");
    await vi.waitFor(() => expect(probe.text()).toContain("steered: more"), { timeout: patient(10_000) });
    probe.agent.interrupt();
    expect(await probe.next("turn_done")).toMatchObject({ outcome: "interrupted" });
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
    expect(probe.all("warning")).toEqual([]);
  });

  test("an agent without known steering declares none in its capabilities", async (context) => {
    const probe = await start({}, context);
    expect(probe.agent.capabilities.steer).toBe(false);
  });

  test("shows noise and unexpected responses, and the turn continues", async (context) => {
    const probe = await start({}, context);
    expect((await probe.run("noise")).outcome).toBe("completed");
    expect(probe.text()).toBe("through the noise");
    expect(probe.all("warning").map(({ code }) => code)).toEqual([
      "unreadable_line",
      "unreadable_line",
      "unreadable_line",
      "protocol",
    ]);
  });

  test("messages in a wrong order give each tool one beginning and one end, and the turn one end", async (context) => {
    const probe = await start({}, context);
    await probe.run("order");
    expect(probe.all("tool_call_start").map(({ nativeId }) => nativeId)).toEqual(["t7"]);
    expect(probe.all("tool_result")).toEqual([{ type: "tool_result", nativeId: "t7", ok: true, result: "" }]);
    expect((await probe.run("hello", "two")).outcome).toBe("completed");
    expect(probe.all("turn_done").map(({ turnId }) => turnId)).toEqual(["turn-1", "two"]);
  });

  test("a program that writes byte by byte is understood", async (context) => {
    const probe = await start({ flags: ["--split"] }, context);
    await probe.run("grüße 🎲");
    expect(probe.text()).toBe("you said: grüße 🎲");
  });

  test("attachments are left out with a warning", async (context) => {
    const probe = await start({}, context);
    const blob = { sha256: "0".repeat(64), bytes: 1 };
    const attachments = [{ name: "a.png", mime: "image/png", blob }];
    probe.agent.send({ kind: "turn", turnId: "turn-1", text: "hello", attachments });
    await probe.next("turn_done");
    const message = "This member does not see a.png.";
    expect(probe.all("warning")).toEqual([{ type: "warning", code: "attachments_not_seen", message }]);
  });
});
