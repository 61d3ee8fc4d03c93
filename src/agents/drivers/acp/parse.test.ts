import { describe, expect, test } from "vitest";
import type { DialectEvent, Step } from "../../process/dialect.ts";
import { createAcpDialect } from "./parse.ts";
import type { AcpOptions } from "./options.ts";
import type { AcpState } from "./state.ts";

const SESSION = "s1";

/** A conversation with a scripted agent. */
class Conversation {
  readonly #dialect;
  #state: AcpState;
  readonly written: { id?: number; method?: string; result?: unknown }[] = [];
  events: DialectEvent[] = [];

  constructor(options: Partial<AcpOptions> = {}, nativeSessionId?: string) {
    const base = { member: "m", cwd: "/p", isWritable: true, mcpServers: [], canSteer: false };
    this.#dialect = createAcpDialect({ ...base, ...options });
    const begun = this.#dialect.begin({ nativeSessionId });
    this.#state = begun.state;
    this.#take(begun);
  }

  /** Up to a session that takes prompts. */
  open(agent = "some-agent"): this {
    const capabilities = { loadSession: true };
    this.answer({ protocolVersion: 1, agentInfo: { name: agent }, agentCapabilities: capabilities });
    this.answer({ sessionId: SESSION });
    this.events = [];
    return this;
  }

  prompt(): this {
    this.#take(this.#dialect.encodeTurn(this.#state, { kind: "turn", turnId: "t", text: "hi", attachments: [] }));
    this.events = [];
    return this;
  }

  /** Answers our last call. */
  answer(result: unknown): this {
    const id = this.written.findLast(({ method }) => method !== undefined)?.id;
    return this.say({ id, result });
  }

  /** Answers the last request. */
  decide(result: string, reason?: string): this {
    const { callId } = this.events.findLast((event) => event.type === "request") ?? expect.fail("nobody was asked");
    const answer = { result, error: null, ...(reason === undefined ? {} : { reason }) };
    this.#take(this.#dialect.encodeAnswer?.(this.#state, callId, answer) ?? expect.fail());
    return this;
  }

  update(update: object): this {
    return this.say({ method: "session/update", params: { sessionId: SESSION, update } });
  }

  text(text: string, messageId?: string): this {
    return this.update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
  }

  say(message: object): this {
    this.#take(this.#dialect.parse(this.#state, JSON.stringify(message)));
    return this;
  }

  #take(step: Step<AcpState>): void {
    this.#state = step.state;
    this.events.push(...(step.events ?? []));
    for (const line of step.write ?? []) this.written.push(JSON.parse(line) as never);
  }
}

describe("agent quirks", () => {
  test("claude-agent-acp: text immediately followed by another message is retracted", () => {
    const conversation = new Conversation().open("@agentclientprotocol/claude-agent-acp").prompt();
    expect(
      conversation
        .text("Here i", "m1")
        .text("Again", "m2")
        .events.map(({ type }) => type),
    ).toEqual(["text_delta", "text_retracted", "text_delta"]);
  });

  test("other agents and finished messages: nothing is retracted", () => {
    const other = new Conversation().open().prompt().text("One", "m1").text("Two", "m2");
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2 };
    const finished = new Conversation()
      .open("claude-agent-acp")
      .prompt()
      .text("One", "m1")
      .update(usage)
      .text("Two", "m2");
    expect([other, finished].flatMap(({ events }) => events).filter(({ type }) => type === "text_retracted")).toEqual(
      [],
    );
  });

  test("pi-acp's retry notices are ordinary text from any other agent", () => {
    const words = "Retrying (attempt 1/3, waiting 2s)...";
    expect(new Conversation().open().prompt().text(words).events).toEqual([{ type: "text_delta", text: words }]);
    expect(new Conversation().open("pi-acp").prompt().text(words).events).toEqual([
      { type: "retrying", attempt: 1, of: 3, delayMs: 2_000, reason: words },
    ]);
  });
});

test("a blank chunk starts no text, and a turn of blank chunks has no text", () => {
  const conversation = new Conversation().open().prompt().text("", "m1");
  const [over, ...more] = conversation.answer({ stopReason: "end_turn" }).events;
  expect(over).toMatchObject({ type: "turn_over", outcome: "errored", error: { code: "no_answer" } });
  expect(more).toEqual([]);
});

describe("money", () => {
  const cost = (amount: number): object => ({
    sessionUpdate: "usage_update",
    used: 1,
    size: 2,
    cost: { amount, currency: "USD" },
  });
  const usage = { inputTokens: 1, outputTokens: 1 };
  const costs = (conversation: Conversation): (number | undefined)[] =>
    conversation.events.flatMap((event) => (event.type === "turn_over" ? [event.usage?.costUsd] : []));

  test("a growing session cost is split into the cost of each turn", () => {
    const conversation = new Conversation().open().prompt();
    conversation.text("a").update(cost(0.3)).answer({ stopReason: "end_turn", usage });
    expect(costs(conversation)).toEqual([0.3]);
    conversation.prompt().text("b").update(cost(0.4)).answer({ stopReason: "end_turn", usage });
    expect(costs(conversation)).toEqual([0.1]);
  });

  test("the first turn of a resumed session and turns of agents without prices have no cost", () => {
    const again = new Conversation({}, SESSION).open().prompt();
    again.text("a").update(cost(5)).answer({ stopReason: "end_turn", usage });
    expect(costs(again)).toEqual([undefined]);
    const free = new Conversation().open().prompt().text("a").answer({ stopReason: "end_turn", usage });
    expect(costs(free)).toEqual([undefined]);
  });
});

test("a refused call that the agent reports as completed is reported", () => {
  const conversation = new Conversation({ isWritable: false }).open().prompt();
  const toolCall = { toolCallId: "t", title: "rm x", kind: "execute" };
  const options = [{ optionId: "no", name: "No", kind: "reject_once" }];
  conversation.say({ id: 7, method: "session/request_permission", params: { sessionId: SESSION, toolCall, options } });
  conversation.update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" });
  expect(conversation.events.map((event) => (event.type === "warning" ? event.code : event.type))).toEqual([
    "tool_call_start",
    "tool_result",
    "ran_refused",
  ]);
  expect(conversation.written.at(-1)).toEqual({
    jsonrpc: "2.0",
    id: 7,
    result: { outcome: { outcome: "selected", optionId: "no" } },
  });
});

test("opencode's to-do tool is a plan; another agent's tool of that name is not", () => {
  const todos = [
    { content: "a", status: "in_progress", priority: "high" },
    { content: "b", status: "cancelled" },
  ];
  const plans = ["OpenCode", "some-agent"].map((agent) => {
    const talk = new Conversation().open(agent).prompt();
    talk.update({ sessionUpdate: "tool_call", toolCallId: "t", title: "todowrite", status: "pending", rawInput: {} });
    for (const status of ["in_progress", "completed"]) {
      talk.update({
        sessionUpdate: "tool_call_update",
        toolCallId: "t",
        title: "todowrite",
        status,
        rawInput: { todos },
      });
    }
    return talk.events.filter(({ type }) => type === "plan_update");
  });
  const items = [
    { text: "a", status: "in_progress" },
    { text: "b", status: "pending" },
  ];
  expect(plans).toEqual([[{ type: "plan_update", planId: "t", items }], []]);
});

test("a command reported as completed with a non-zero exit code has failed", () => {
  const results = [0, 3].map((exit) => {
    const talk = new Conversation().open().prompt();
    talk.update({ sessionUpdate: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "pending" });
    const rawOutput = { output: "said\n", metadata: { exit } };
    talk.update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed", rawOutput });
    return talk.events.at(-1);
  });
  expect(results).toMatchObject([
    { type: "tool_result", ok: true },
    { type: "tool_result", ok: false, error: { code: "tool_error", message: "exit code 3" } },
  ]);
});

test("an unfinished tool call is closed with its turn", () => {
  const talk = new Conversation().open().prompt();
  for (const toolCallId of ["a", "b"])
    talk.update({ sessionUpdate: "tool_call", toolCallId, title: "ls", status: "pending" });
  talk.update({ sessionUpdate: "tool_call_update", toolCallId: "a", status: "completed" });
  talk.answer({ stopReason: "cancelled" });
  const error = { code: "tool_interrupted", message: "the turn ended before the tool did" };
  expect(talk.events.slice(2)).toEqual([
    { type: "tool_result", nativeId: "a", ok: true, result: "" },
    { type: "tool_result", nativeId: "b", ok: false, error },
    { type: "turn_over", outcome: "interrupted", reason: "interrupted" },
  ]);
});

test("a request outside a turn or for another session is cancelled", () => {
  const conversation = new Conversation().open();
  conversation.say({ id: 1, method: "session/request_permission", params: { sessionId: SESSION, toolCall: {} } });
  conversation.prompt();
  conversation.say({ id: 2, method: "session/request_permission", params: { sessionId: "other", toolCall: {} } });
  const cancelled = { outcome: { outcome: "cancelled" } };
  expect(conversation.written.filter(({ result }) => result !== undefined)).toEqual([
    { jsonrpc: "2.0", id: 1, result: cancelled },
    { jsonrpc: "2.0", id: 2, result: cancelled },
  ]);
});

test("repeated tool output is reported once, new text only", () => {
  const conversation = new Conversation().open().prompt();
  const content = (text: string): object[] => [{ type: "content", content: { type: "text", text } }];
  const running = { sessionUpdate: "tool_call_update", toolCallId: "t", status: "in_progress" };
  conversation.update({ ...running, sessionUpdate: "tool_call", title: "ls", kind: "execute" });
  for (const text of ["a\n", "a\nb\n", "a\nb\n", "other"]) conversation.update({ ...running, content: content(text) });
  expect(conversation.events.flatMap((event) => (event.type === "tool_output_delta" ? [event.text] : []))).toEqual([
    "a\n",
    "b\n",
  ]);
});

test("output without a status is shown and becomes the result; content beside the input does neither", () => {
  const content = (text: string): object[] => [{ type: "content", content: { type: "text", text } }];
  const told = (...updates: object[]): unknown[] => {
    const conversation = new Conversation().open().prompt();
    const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "ls", kind: "execute", status: "in_progress" };
    conversation.update(call);
    for (const one of updates) conversation.update({ sessionUpdate: "tool_call_update", toolCallId: "t", ...one });
    return conversation.events.flatMap((event): unknown[] =>
      event.type === "tool_output_delta"
        ? [event.text]
        : event.type === "tool_result"
          ? [{ result: event.result }]
          : [],
    );
  };
  const done = { status: "completed" };
  expect(told({ content: content("a\n") }, { content: content("a\nb\n") }, done)).toEqual([
    "a\n",
    "b\n",
    { result: "a\nb\n" },
  ]);
  expect(told({ rawOutput: "a\n" }, { rawOutput: { output: "a\nb" } }, done)).toEqual(["a\n", "b", { result: "a\nb" }]);
  const refined = { rawInput: { command: "ls" }, content: content("Lists the files") };
  expect(told(refined, { ...done, content: content("a\n") })).toEqual([{ result: "a\n" }]);
});

test("a malformed message loses at most its own line, never the conversation", () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  const random = mulberry(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const kinds = ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan", "usage_update"];
  const odd = (): unknown =>
    pick([undefined, 1, "x", [], {}, [undefined], { content: 1 }, { type: "text" }, true, { a: [{}] }]);
  const fields = ["content", "toolCallId", "status", "rawInput", "rawOutput", "locations", "_meta", "entries", "cost"];
  const update = (): object =>
    Object.fromEntries([["sessionUpdate", pick(kinds)], ...fields.map((field) => [field, odd()] as const)]);
  const shapes = [
    () => ({ method: "session/update", params: { sessionId: SESSION, update: update() } }),
    () => ({
      id: odd(),
      method: "session/request_permission",
      params: { sessionId: SESSION, toolCall: update(), options: odd() },
    }),
    () => ({ id: odd(), method: "cursor/ask_question", params: odd() }),
    () => ({ id: odd(), error: odd() }),
    () => ({ params: odd() }),
  ];
  const conversation = new Conversation().open().prompt();
  for (let at = 0; at < 2_000; at += 1) {
    const message = pick(shapes)();
    expect(() => conversation.say(message), `seed ${seed}: ${JSON.stringify(message)}`).not.toThrow();
  }
  conversation.text("still here");
  expect(conversation.events.at(-1), `seed ${seed}`).toEqual({ type: "text_delta", text: "still here" });
});

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe("approval of host tools", () => {
  const OWN = "roundtable0123abcd";
  const gemini = (id: string, title: string) => ({ toolCallId: id, title, kind: "other", content: [], locations: [] });
  const claude = (toolName: string, server: string) => ({
    toolCallId: "toolu_1",
    title: toolName,
    kind: "other",
    _meta: { claudeCode: { toolName, mcpServer: { name: server, source: "dynamic" } } },
  });
  const OPTIONS = [
    { optionId: "proceed_always_server", name: "All", kind: "allow_always" },
    { optionId: "proceed_once", name: "Allow", kind: "allow_once" },
    { optionId: "cancel", name: "Reject", kind: "reject_once" },
  ];

  /** Reply to the agent, or "asked". */
  function leaveFor(agent: string, toolCall: object, isWritable: boolean): string {
    const conversation = new Conversation({ isWritable, hostToolServer: OWN }).open(agent).prompt();
    const params = { sessionId: SESSION, options: OPTIONS, toolCall };
    conversation.say({ id: 77, method: "session/request_permission", params });
    if (conversation.events.some(({ type }) => type === "request")) return "asks";
    const answer = conversation.written.at(-1)?.result as { outcome: { optionId?: string } };
    return answer.outcome.optionId ?? "cancelled";
  }

  const GEMINI = "gemini-cli";
  const CLAUDE = "@agentclientprotocol/claude-agent-acp";

  test.each([
    [GEMINI, gemini(`mcp_${OWN}_agents_list__call_1`, `agents_list (${OWN} MCP Server)`)],
    [GEMINI, gemini(`mcp_${OWN}_ui_set_editor_text-1763200000000-3`, `ui_set_editor_text (${OWN} MCP Server)`)],
    [CLAUDE, claude(`mcp__${OWN}__user_question`, OWN)],
  ])("of %s they are allowed once, also in a read-only session, and nobody is asked", (agent, call) => {
    expect([leaveFor(agent, call, true), leaveFor(agent, call, false)]).toEqual(["proceed_once", "proceed_once"]);
  });

  test.each([
    [
      "another server's tool of the same name",
      GEMINI,
      gemini("mcp_hub_agents_list__1", "agents_list (hub MCP Server)"),
    ],
    [
      "a server named like the stem",
      GEMINI,
      gemini("mcp_roundtable_agents_list__1", "agents_list (roundtable MCP Server)"),
    ],
    ["an id alone", GEMINI, gemini(`mcp_${OWN}_agents_list__1`, "rm -rf /")],
    ["a title alone", GEMINI, gemini("mcp_hub_run__1", `agents_list (${OWN} MCP Server)`)],
    ["a tool that the table has not", GEMINI, gemini(`mcp_${OWN}_shell__1`, `shell (${OWN} MCP Server)`)],
    ["a longer name", GEMINI, gemini(`mcp_${OWN}x_agents_list__1`, `agents_list (${OWN}x MCP Server)`)],
    ["an unknown agent", "agent", gemini(`mcp_${OWN}_agents_list__1`, `agents_list (${OWN} MCP Server)`)],
    ["another server of Claude's", CLAUDE, claude(`mcp__${OWN}__agents_list`, "hub")],
    ["another tool of Claude's", CLAUDE, claude("mcp__hub__agents_list", "hub")],
  ])("%s is not taken for one of them", (_what, agent, call) => {
    expect(leaveFor(agent, call, true)).toBe("asks");
    expect(leaveFor(agent, call, false)).not.toBe("proceed_once");
  });

  test("calls that edit or execute are denied in a read-only session, whatever their name", () => {
    const call = { ...gemini("run_shell_command__1", `echo ${OWN}`), kind: "execute" };
    expect(leaveFor(GEMINI, call, false)).toBe("cancel");
  });
});

describe("approval of a call", () => {
  const ALWAYS = { optionId: "always", name: "Always", kind: "allow_always" };
  const ONCE = { optionId: "once", name: "Once", kind: "allow_once" };
  const NO = { optionId: "no", name: "No, keep planning", kind: "reject_once" };

  function turnInput(toolCall: object, options: readonly object[], more: Partial<AcpOptions> = {}): Conversation {
    const params = { sessionId: SESSION, options, toolCall: { toolCallId: "t1", title: "ls", ...toolCall } };
    const conversation = new Conversation(more).open().prompt();
    return conversation.say({ id: 77, method: "session/request_permission", params });
  }

  function chosen({ written }: Conversation): object {
    const answer = written.find(({ id, method }) => id === 77 && method === undefined) ?? expect.fail("no answer");
    return (answer.result as { outcome: object }).outcome;
  }

  test("a call that can only be allowed permanently is denied without asking", () => {
    const conversation = turnInput({ kind: "execute" }, [ALWAYS, NO]);
    expect(chosen(conversation)).toEqual({ outcome: "selected", optionId: "no" });
    const error = { code: "tool_denied", message: "the agent offers no way to allow it once" };
    expect(conversation.events.at(-1)).toEqual({ type: "tool_result", nativeId: "t1", ok: false, error });
    expect(chosen(turnInput({ kind: "execute" }, [ALWAYS]))).toEqual({ outcome: "cancelled" });
  });

  test("a mode change offers the agent's choices except the one that stops it from asking", () => {
    const conversation = turnInput({ kind: "switch_mode" }, [ALWAYS, ONCE, NO]);
    const options = [
      { label: "Once", value: "once" },
      { label: "No, keep planning", value: "no" },
    ];
    const request = { method: "select", title: "ls", options };
    expect(conversation.events.at(-1)).toMatchObject({ type: "request", request });
    expect(chosen(conversation.decide("once"))).toEqual({ outcome: "selected", optionId: "once" });
    const lasting = turnInput({ kind: "switch_mode" }, [ALWAYS, ONCE, NO]).decide("always");
    expect(chosen(lasting)).toEqual({ outcome: "selected", optionId: "no" });
  });

  test("where the agent can be steered, the reason of a denial is sent into the turn", () => {
    const conversation = turnInput({ kind: "execute" }, [ONCE, NO], { canSteer: true }).decide("deny", "use pnpm");
    const text = 'The user denied "ls" and wrote: use pnpm';
    expect(conversation.written.at(-1)).toMatchObject({ method: "session/prompt", params: { prompt: [{ text }] } });
    conversation.events = [];
    expect(conversation.answer({ stopReason: "end_turn" }).events).toEqual([]);
  });
});

describe("file changes of a turn", () => {
  const edit = (more: object) => ({ sessionUpdate: "tool_call_update", kind: "edit", ...more });
  const diff = (path: string, oldText: string | undefined, newText: string) => ({
    type: "diff",
    path,
    oldText,
    newText,
  });
  const reports = ({ events }: Conversation) => events.filter(({ type }) => type === "change_report");

  test("the diffs of a turn are one report at its end, one entry per file, without failed calls", () => {
    const conversation = new Conversation().open().prompt();
    const done = (toolCallId: string, content: object) =>
      conversation.update(edit({ toolCallId, status: "completed", content: [content] }));
    done("one", diff("/p/a.txt", undefined, "x\n"));
    done("two", diff("/p/a.txt", "x\n", "y\n"));
    done("three", diff("/elsewhere/b.txt", "old\n", "new\n"));
    conversation.update(edit({ toolCallId: "four", status: "failed", content: [diff("/p/c.txt", undefined, "no\n")] }));
    expect(reports(conversation)).toEqual([]);
    conversation.answer({ stopReason: "end_turn" });
    expect(reports(conversation)).toEqual([
      {
        type: "change_report",
        files: [
          {
            path: "a.txt",
            status: "added",
            added: 2,
            removed: 1,
            diff: "--- /dev/null\n+++ /p/a.txt\n@@ -0,0 +1,1 @@\n+x\n--- /p/a.txt\n+++ /p/a.txt\n@@ -1,1 +1,1 @@\n-x\n+y\n",
          },
          {
            path: "/elsewhere/b.txt",
            status: "modified",
            added: 1,
            removed: 1,
            diff: "--- /elsewhere/b.txt\n+++ /elsewhere/b.txt\n@@ -1,1 +1,1 @@\n-old\n+new\n",
          },
        ],
        truncatedCount: 0,
      },
    ]);
    expect(conversation.events.at(-1)?.type).toBe("turn_over");
  });

  test("a diff shown only in the request counts, and a call without a request is described by its arguments", () => {
    const conversation = new Conversation().open("opencode").prompt();
    const toolCall = { toolCallId: "one", kind: "edit", content: [diff("/p/a.txt", "", "x\n")] };
    const options = [{ optionId: "once", kind: "allow_once", name: "Allow once" }];
    conversation.say({
      id: 7,
      method: "session/request_permission",
      params: { sessionId: SESSION, toolCall, options },
    });
    conversation.update(edit({ toolCallId: "one", status: "completed" }));
    conversation.update(
      edit({
        toolCallId: "two",
        status: "completed",
        rawInput: { filePath: "/p/b.txt", oldString: "old", newString: "new" },
        rawOutput: { output: "done", metadata: {} },
      }),
    );
    conversation.update(
      edit({
        toolCallId: "three",
        status: "completed",
        rawInput: { filePath: "/p/c.txt", content: "new\n" },
        rawOutput: { output: "done", metadata: { exists: false } },
      }),
    );
    conversation.answer({ stopReason: "end_turn" });
    const [report] = reports(conversation) as Extract<DialectEvent, { type: "change_report" }>[];
    expect(report?.files.map(({ path, status, added, removed }) => ({ path, status, added, removed }))).toEqual([
      { path: "a.txt", status: "added", added: 1, removed: 0 },
      { path: "b.txt", status: "modified", added: 1, removed: 1 },
      { path: "c.txt", status: "added", added: 1, removed: 0 },
    ]);
  });
});

test("Gemini CLI's empty heading before a thought is dropped; another agent's asterisks stay", () => {
  const thought = (text: string) => ({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  const heard = (agent: string) => {
    const conversation = new Conversation().open(agent).prompt();
    conversation.update(thought("****\nHm.")).update(thought("**Plan**\nFirst.")).update(thought("****\n"));
    return conversation.events;
  };
  expect(heard("gemini-cli")).toEqual([
    { type: "thinking_delta", text: "Hm." },
    { type: "thinking_delta", text: "**Plan**\nFirst." },
  ]);
  expect(heard("another")[0]).toEqual({ type: "thinking_delta", text: "****\nHm." });
});

test("the turn after a login uses the member's model or reports that it cannot", () => {
  const choosable = { currentModelId: "small", availableModels: [{ modelId: "small" }, { modelId: "big" }] };
  const loggedIn = (session: object) => {
    const conversation = new Conversation({ model: "big" });
    conversation.answer({ protocolVersion: 1, agentCapabilities: {} });
    const { id } = conversation.written.at(-1) ?? {};
    conversation.say({ id, error: { code: -32_000, message: "Authentication required" } });
    conversation.prompt().prompt();
    conversation.written.length = 0;
    // `prompt` has requested the session again, by the call after the failed one.
    return conversation.say({ id: (id ?? 0) + 1, result: { sessionId: SESSION, ...session } });
  };
  const chosen = loggedIn({ models: choosable });
  expect(chosen.written).toMatchObject([{ method: "session/set_model", params: { modelId: "big" } }]);
  expect(chosen.answer({}).written.map(({ method }) => method)).toEqual(["session/set_model", "session/prompt"]);
  const fixed = loggedIn({});
  expect(fixed.events).toContainEqual(expect.objectContaining({ type: "model_fallback", preferred: "big" }));
  expect(fixed.written.map(({ method }) => method)).toEqual(["session/prompt"]);
});

test("a Gemini CLI tool is named by the prefix of its call id, whatever id the provider adds", () => {
  const named = (agent: string, toolCallId: string, kind: string) => {
    const call = { sessionUpdate: "tool_call", toolCallId, title: "Looks at three files", kind, status: "in_progress" };
    const [start] = new Conversation().open(agent).prompt().update(call).events;
    return start?.type === "tool_call_start" ? start.name : start;
  };
  expect(named("gemini-cli", "read_file__8f3k2a", "read")).toBe("read_file");
  expect(named("gemini-cli", "google_web_search__synth_p_1_0", "search")).toBe("google_web_search");
  expect(named("gemini-cli", "run_shell_command__function-call-77", "execute")).toBe("run_shell_command");
  expect(named("gemini-cli", "mcp_my-hub_find-it-1763200000000-3", "other")).toBe("mcp_my-hub_find-it");
  expect(named("gemini-cli", "read_file__evil__8f3k2a", "execute")).toBe("execute");
  expect(named("some-agent", "read_file__8f3k2a", "read")).toBe("read");
});

test("a mode change that Gemini CLI sends as text is a status, in and out of a turn; from other agents it is text", () => {
  const words = "[MODE_UPDATE] plan";
  const status = { type: "ui_status", key: "permission_mode", text: "plan" };
  const gemini = () => new Conversation().open("gemini-cli");
  expect(gemini().text(words).events).toEqual([status]);
  expect(gemini().prompt().text("One ").text(words).text("two").text("[MODE_UPDATE] default").events).toEqual([
    { type: "text_delta", text: "One " },
    status,
    { type: "text_delta", text: "two" },
    { ...status, text: null },
  ]);
  const said = { type: "text", text: words };
  expect(gemini().prompt().update({ sessionUpdate: "agent_thought_chunk", content: said }).events).toEqual([status]);
  expect(gemini().prompt().text(`${words} is what it says`).events).toMatchObject([{ type: "text_delta" }]);
  expect(new Conversation().open().prompt().text(words).events).toEqual([{ type: "text_delta", text: words }]);
});

test("requests open at the end of a turn are cancelled, and so are later ones", () => {
  const conversation = new Conversation().open().prompt().text("Done.");
  const ask = (id: number) => {
    const toolCall = { toolCallId: `t${id}`, title: "ls", kind: "execute" };
    const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
    const params = { sessionId: SESSION, toolCall, options };
    return conversation.say({ id, method: "session/request_permission", params });
  };
  expect(ask(70).events.at(-1)).toMatchObject({ type: "request" });
  const prompt = conversation.written.findLast(({ method }) => method === "session/prompt")?.id;
  conversation.say({ id: prompt, result: { stopReason: "end_turn" } });
  ask(71);
  const cancelled = { outcome: { outcome: "cancelled" } };
  expect(conversation.written.slice(-2)).toMatchObject([
    { id: 70, result: cancelled },
    { id: 71, result: cancelled },
  ]);
});

test("a request that an ACP agent withdraws is closed on every screen and answered once, as withdrawn", () => {
  const conversation = new Conversation().open().prompt();
  const toolCall = { toolCallId: "t", title: "ls", kind: "execute" };
  const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
  const params = { sessionId: SESSION, toolCall, options };
  conversation.say({ id: 70, method: "session/request_permission", params });
  const request = conversation.events.at(-1);
  const callId = request?.type === "request" ? request.callId : "";
  const before = conversation.written.length;
  conversation.events = [];
  for (const requestId of ["70", null, 71, 70, 70])
    conversation.say({ method: "$/cancel_request", params: { requestId } });
  expect(conversation.events).toEqual([{ type: "request_withdrawn", callId }]);
  expect(conversation.written.slice(before)).toMatchObject([{ id: 70, error: { code: -32_800 } }]);
});

test("output from before the prompt was sent is not part of the answer", () => {
  const conversation = new Conversation({ model: "large" });
  conversation.answer({ protocolVersion: 1, agentInfo: { name: "some-agent" } });
  const models = { currentModelId: "small", availableModels: [{ modelId: "small" }, { modelId: "large" }] };
  conversation.answer({ sessionId: SESSION, models }).prompt();
  expect(conversation.written.at(-1)).toMatchObject({ method: "session/set_model" });
  const thought = { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "of before" } };
  const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "ls", status: "completed" };
  conversation.text("the rest of before").update(thought).update(call);
  const options = [{ optionId: "yes", name: "Allow", kind: "allow_once" }];
  const params = { sessionId: SESSION, toolCall: { toolCallId: "t", title: "ls", kind: "execute" }, options };
  conversation.say({ id: 70, method: "session/request_permission", params });
  expect(conversation.events.map(({ type }) => type)).toEqual(["unexpected", "unexpected"]);
  expect(conversation.written.at(-1)).toMatchObject({ id: 70, result: { outcome: { outcome: "cancelled" } } });
  const setting = conversation.written.findLast(({ method }) => method === "session/set_model")?.id;
  conversation.say({ id: setting, result: {} }).text("the answer");
  expect(conversation.events.at(-1)).toEqual({ type: "text_delta", text: "the answer" });
});
