import { expect, test } from "vitest";
import type { DialectEvent, Step } from "../../../process/dialect.ts";
import type { AcpOptions } from "../options.ts";
import { createAcpDialect } from "../parse.ts";
import type { AcpState } from "../state.ts";

interface Written {
  readonly id?: number;
  readonly method?: string;
  readonly params?: object;
  readonly result?: unknown;
}

/** An agent that opens a session with these modes; collects later events and lines. */
function opened(
  session: object,
  {
    agent = "some-agent",
    isSandboxed = false,
    ...options
  }: Partial<AcpOptions> & { agent?: string; isSandboxed?: boolean },
) {
  const base = { member: "m", cwd: "/p", isWritable: false, mcpServers: [], canSteer: false };
  const dialect = createAcpDialect({ ...base, ...options });
  const events: DialectEvent[] = [];
  const written: Written[] = [];
  const take = (step: Step<AcpState>): AcpState => {
    events.push(...(step.events ?? []));
    written.push(...(step.write ?? []).map((line) => JSON.parse(line) as Written));
    return step.state;
  };
  let state = take(dialect.begin({ nativeSessionId: undefined, isSandboxed }));
  const talk = {
    events,
    written,
    say(message: object) {
      state = take(dialect.parse(state, JSON.stringify(message)));
      return talk;
    },
    /** Answers our last call. */
    answer: (answer: object) => talk.say({ id: written.findLast(({ method }) => method !== undefined)?.id, ...answer }),
    update: (update: object) => talk.say({ method: "session/update", params: { sessionId: "s", update } }),
    prompt(text = "hi") {
      state = take(dialect.encodeTurn(state, { kind: "turn", turnId: "t", text, attachments: [] }));
      return talk;
    },
    guards: () => events.filter((event) => event.type === "member_guard").map(({ guard }) => guard),
    asked: () => written.filter(({ method }) => method?.startsWith("session/set_")).map(({ params }) => params),
  };
  talk.answer({ result: { protocolVersion: 1, agentInfo: { name: agent } } });
  return talk.answer({ result: { sessionId: "s", ...session } });
}

const modes = (currentModeId: string, ...ids: string[]) => ({
  modes: { currentModeId, availableModes: [currentModeId, ...ids].map((id) => ({ id, name: id })) },
});
const DONE = { result: {} };

test.each([
  [modes("agent", "read-only", "agent-full-access"), "read-only"],
  [modes("agent", "plan", "ask"), "ask"],
  [modes("https://example.org/modes#agent", "https://example.org/modes#plan"), "https://example.org/modes#plan"],
  [modes("code", "ReadOnly"), "ReadOnly"],
])(
  "a read-only session is spent in the agent's own read-only mode, which guards it once confirmed",
  (session, modeId) => {
    const talk = opened(session, {});
    expect(talk.asked()).toEqual([{ sessionId: "s", modeId }]);
    expect(talk.guards()).toEqual([]);
    expect(talk.answer(DONE).guards()).toEqual(["own_mode"]);
    const refused = opened(session, {}).answer({ error: { code: -32_603, message: "no" } });
    expect(refused.guards()).toEqual(["unguarded"]);
  },
);

test("a mode set as a config option is trusted when the response confirms it", () => {
  const choice = (currentValue: string) => ({
    configOptions: [
      { id: "m", category: "mode", currentValue, options: [{ value: "build" }, { value: "read-only", name: "Look" }] },
    ],
  });
  const talk = opened(choice("build"), {});
  expect(talk.asked()).toEqual([{ sessionId: "s", configId: "m", value: "read-only" }]);
  expect(talk.answer({ result: choice("read-only") }).guards()).toEqual(["own_mode"]);
  expect(
    opened(choice("build"), {})
      .answer({ result: choice("build") })
      .guards(),
  ).toEqual(["unguarded"]);
});

test.each(["gemini-cli", "OpenCode", "@agentclientprotocol/claude-agent-acp", "Copilot", "qwen-code"])(
  "the plan mode of %s is not used: there it has changed files, or nobody knows",
  (agent) => {
    const talk = opened(modes("default", "plan"), { agent });
    expect([talk.guards(), talk.asked()]).toEqual([["unguarded"], []]);
  },
);

test("an agent without such a mode, and one in a writable session, is unguarded", () => {
  expect(opened({}, {}).guards()).toEqual(["unguarded"]);
  expect(opened(modes("off", "high"), {}).guards()).toEqual(["unguarded"]);
  expect(opened(modes("agent", "read-only"), { isWritable: true }).guards()).toEqual(["unguarded"]);
});

test("no session runs in a mode that never asks", () => {
  for (const mode of ["yolo", "autoEdit", "acceptEdits", "bypassPermissions", "dontAsk"]) {
    const talk = opened(modes(mode, "default"), { isWritable: true });
    expect(talk.asked()).toEqual([{ sessionId: "s", modeId: "default" }]);
  }
});

test("codex-acp leaves its own sandbox only inside ours, and then reports no guard of its own", () => {
  const session = modes("agent", "read-only", "agent-full-access");
  const agent = "@agentclientprotocol/codex-acp";
  const inside = opened(session, { agent, isSandboxed: true });
  expect(inside.asked()).toEqual([{ sessionId: "s", modeId: "agent-full-access" }]);
  expect(inside.answer(DONE).guards()).toEqual([]);
  expect(opened(session, { agent }).asked()).toEqual([{ sessionId: "s", modeId: "read-only" }]);
  expect(opened(session, { agent, isWritable: true }).asked()).toEqual([]);
});

test("a sandboxed agent that may act without asking in a writable session says so; one that asks or only reads does not", () => {
  const details = (options: Parameters<typeof opened>[1]) =>
    opened({}, { isSandboxed: true, ...options })
      .prompt()
      .events.flatMap((event) => (event.type === "member_guard" ? [event.detail] : []));
  expect(details({ isWritable: true })).toEqual(["inside it may act without asking"]);
  expect(details({ isWritable: true, guard: () => ({ guard: "asks_first" }) })).toEqual([]);
  expect(details({})).toEqual([]);
});

test("an agent that leaves its mode is interrupted and set back before its next prompt", () => {
  const talk = opened(modes("agent", "read-only"), {}).answer(DONE).prompt();
  talk.update({ sessionUpdate: "current_mode_update", currentModeId: "agent" });
  expect(talk.written.at(-1)).toMatchObject({ method: "session/cancel" });
  const prompt = talk.written.find(({ method }) => method === "session/prompt");
  talk.say({ id: prompt?.id, result: { stopReason: "cancelled" } });
  expect(talk.events.at(-1)).toMatchObject({ type: "turn_over", outcome: "errored", error: { code: "left_mode" } });
  talk.prompt("again");
  expect(talk.written.at(-1)).toMatchObject({ method: "session/set_mode", params: { modeId: "read-only" } });
  talk.answer(DONE);
  expect(talk.written.at(-1)).toMatchObject({ method: "session/prompt" });
  expect(talk.guards()).toEqual(["own_mode", "own_mode"]);
});

test("everything done without approval in a read-only session is counted, commands included", () => {
  const act = (toolCallId: string, kind: string) => ({
    sessionUpdate: "tool_call",
    toolCallId,
    title: "x",
    kind,
    status: "completed",
  });
  const warned = (agentModes: object, isSandboxed = false) => {
    const talk = opened(agentModes, { isSandboxed });
    if (talk.asked().length > 0) talk.answer(DONE);
    talk.prompt();
    for (const kind of ["execute", "execute", "execute", "edit", "read"])
      talk.update(act(`${kind}-${talk.events.length}`, kind));
    talk.answer({ result: { stopReason: "end_turn" } });
    return talk.events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  };
  expect(warned({})).toEqual([
    "m ran 3 commands and made one change to files without asking, although this session is read-only.",
  ]);
  expect(warned(modes("agent", "read-only"))).toEqual([
    "m made one change to files without asking, although this session is read-only.",
  ]);
  expect(warned({}, true)).toEqual([]);
});

test("a call blocked by the agent's own rules is denied, whatever status the agent reports", () => {
  const end = (agent: string, status: string, text: string) => {
    const talk = opened({}, { agent }).prompt();
    const content = [{ type: "content", content: { type: "text", text } }];
    talk.update({ sessionUpdate: "tool_call", toolCallId: "t", title: "x", kind: "execute", status, content });
    const result = talk.events.findLast((event) => event.type === "tool_result");
    return result?.error?.code ?? "ok";
  };
  expect(end("gemini-cli", "failed", 'Tool execution for "Shell" denied by policy.')).toBe("tool_denied");
  const rule = "The user has specified a rule which prevents you from using this specific tool call.";
  expect(end("OpenCode", "failed", rule)).toBe("tool_denied");
  expect(end("some-agent", "failed", rule)).toBe("tool_error");
  const absent = "The arguments provided to the tool are invalid: Model tried to call unavailable tool 'bash'.";
  expect(end("OpenCode", "completed", absent)).toBe("tool_error");
});

test("inside our sandbox a read-only session asks about commands and denies edits", () => {
  const ask = (kind: string) => {
    const talk = opened({}, { isSandboxed: true }).prompt();
    const options = [{ optionId: "y", name: "Y", kind: "allow_once" }];
    const params = { sessionId: "s", options, toolCall: { toolCallId: "t", title: "x", kind } };
    talk.say({ id: 9, method: "session/request_permission", params });
    return talk.events.at(-1)?.type;
  };
  expect([ask("execute"), ask("edit"), ask("delete"), ask("switch_mode")]).toEqual([
    "request",
    "tool_result",
    "tool_result",
    "tool_result",
  ]);
});
