/** The built-in agent on the Responses API, over real HTTP: the same turn, spoken another way. */
import { expect, test } from "vitest";
import { delta, text as chatText, type Step } from "../fakes/model-server.ts";
import { startOpenAi, reported, type OpenAiProbe } from "./start-openai.ts";

const RESPONSES = { spec: { api: "responses" } } as const;
const USAGE = {
  input_tokens: 10,
  output_tokens: 4,
  total_tokens: 14,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens_details: { reasoning_tokens: 2 },
};

const event = (type: string, fields: object): Step => ({
  raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
});
const completed = (more: object = {}): Step =>
  event("response.completed", { response: { status: "completed", usage: USAGE, ...more } });
const says = (at: number, ...pieces: string[]): Step[] => [
  event("response.output_item.added", { output_index: at, item: { type: "message", id: `m${at}`, content: [] } }),
  ...pieces.map((piece) => event("response.output_text.delta", { output_index: at, item_id: `m${at}`, delta: piece })),
  event("response.output_item.done", {
    output_index: at,
    item: { type: "message", id: `m${at}`, content: [{ type: "output_text", text: pieces.join("") }] },
  }),
];
const call = (at: number, name: string, args: object): Step[] => {
  const json = JSON.stringify(args);
  const item = { type: "function_call", id: `f${at}`, call_id: `call_${at}`, name, arguments: "" };
  return [
    event("response.output_item.added", { output_index: at, item }),
    ...[json.slice(0, 4), json.slice(4)].map((piece) =>
      event("response.function_call_arguments.delta", { output_index: at, item_id: `f${at}`, delta: piece }),
    ),
    event("response.output_item.done", { output_index: at, item: { ...item, arguments: json } }),
  ];
};
const thinks = (at: number, ...parts: string[]): Step[] => [
  event("response.output_item.added", { output_index: at, item: { type: "reasoning", id: `r${at}`, summary: [] } }),
  ...parts.flatMap((part, index) => [
    event("response.reasoning_summary_part.added", { output_index: at, summary_index: index }),
    event("response.reasoning_summary_text.delta", { output_index: at, summary_index: index, delta: part }),
  ]),
  event("response.output_item.done", {
    output_index: at,
    item: {
      type: "reasoning",
      id: `r${at}`,
      status: "completed",
      encrypted_content: "sealed",
      summary: parts.map((part) => ({ type: "summary_text", text: part })),
    },
  }),
];
const bodies = (probe: OpenAiProbe) => probe.server.requests.map((one) => one.body);

test("text, reasoning summary, parallel calls and usage of the Responses API make the same turn", async () => {
  const probe = await startOpenAi({ ...RESPONSES, files: { "a.txt": "hello", "b.txt": "world" } });
  probe.server.play(
    [
      ...thinks(0, "first", "second"),
      ...says(1, "I ", "look."),
      ...call(2, "read", { path: "a.txt" }),
      ...call(3, "read", { path: "b.txt" }),
      completed(),
    ],
    [...says(0, "Done."), completed()],
  );
  const end = await probe.run("go");
  expect(end).toMatchObject({
    outcome: "completed",
    usage: { inputTokens: 20, outputTokens: 8, cacheReadTokens: 6, reasoningTokens: 4 },
  });
  expect(reported(probe).map((one) => ("text" in one ? [one.type, one.text] : one.type))).toEqual([
    ["thinking_delta", "first"],
    ["thinking_delta", "\n\n"],
    ["thinking_delta", "second"],
    "thinking_done",
    ["text_delta", "I "],
    ["text_delta", "look."],
    "text_done",
    "tool_call_start",
    "tool_call_start",
    "tool_result",
    "tool_result",
    ["text_delta", "Done."],
    "text_done",
    "turn_done",
  ]);
  const [first, second] = bodies(probe);
  expect(probe.server.requests.map((one) => one.path)).toEqual(["/v1/responses", "/v1/responses"]);
  expect(first).toMatchObject({
    model: "m1",
    stream: true,
    store: false,
    parallel_tool_calls: true,
    reasoning: { summary: "auto" },
    include: ["reasoning.encrypted_content"],
    instructions: expect.stringContaining("You are local"),
    input: [{ role: "user", content: "go" }],
  });
  expect(first?.["tools"]).toContainEqual({
    type: "function",
    name: "read",
    description: expect.any(String),
    parameters: expect.any(Object),
    strict: false,
  });
  expect(second?.["input"]).toEqual([
    { role: "user", content: "go" },
    {
      type: "reasoning",
      encrypted_content: "sealed",
      summary: [
        { type: "summary_text", text: "first" },
        { type: "summary_text", text: "second" },
      ],
    },
    { role: "assistant", content: "I look." },
    { type: "function_call", call_id: "call_2", name: "read", arguments: '{"path":"a.txt"}' },
    { type: "function_call", call_id: "call_3", name: "read", arguments: '{"path":"b.txt"}' },
    { type: "function_call_output", call_id: "call_2", output: "hello" },
    { type: "function_call_output", call_id: "call_3", output: "world" },
  ]);
});

const sealedIn = (body: Readonly<Record<string, unknown>>) =>
  (body["input"] as { type?: string }[]).filter(({ type }) => type === "reasoning").length;

test("sealed reasoning goes back to the model that had it, not to another one it gave way to or was switched to", async () => {
  const probe = await startOpenAi({ spec: { api: "responses", model: "m1,m2" }, deps: { limits: { attemptsMax: 1 } } });
  let isBusy = false;
  probe.server.answer(({ model, body }) => {
    const isLooking = JSON.stringify(body["input"]).includes("function_call_output");
    if (model === "m1" && isBusy) return [{ status: 529 }];
    if (!isLooking) return [...thinks(0, "hm"), ...call(1, "list", {}), completed()];
    return [...says(0, "ok"), completed()];
  });
  await probe.run("go", "1");
  isBusy = true;
  await probe.run("go", "2");
  expect(probe.server.requests.map(({ model, body }) => [model, sealedIn(body)])).toEqual([
    ["m1", 0],
    ["m1", 1],
    ["m1", 1],
    ["m2", 0],
  ]);
});

test("sealed reasoning that its server cannot open any more is left out, and the reasoning still asked for", async () => {
  const probe = await startOpenAi(RESPONSES);
  const message = "The encrypted content gAAA...Rg== could not be verified.";
  probe.server.play(
    [...thinks(0, "hm"), ...call(1, "list", {}), completed()],
    [{ status: 400, body: { error: { message, code: "invalid_encrypted_content" } } }],
    [...says(0, "ok"), completed()],
  );
  expect((await probe.run("go")).outcome).toBe("completed");
  expect(bodies(probe).map((body) => [sealedIn(body), "reasoning" in body])).toEqual([
    [0, true],
    [1, true],
    [0, true],
  ]);
});

test("an answer that comes whole, or only by its closing events, is understood too", async () => {
  const probe = await startOpenAi({ ...RESPONSES, files: { "a.txt": "hello" } });
  const message = { type: "message", content: [{ type: "output_text", text: "Whole." }] };
  probe.server.play(
    [
      event("response.output_item.done", {
        output_index: 0,
        item: { type: "function_call", call_id: "c", name: "read", arguments: '{"path":"a.txt"}' },
      }),
      completed(),
    ],
    [{ status: 200, body: { object: "response", status: "completed", output: [message], usage: USAGE } }],
  );
  expect(await probe.run("go")).toMatchObject({ outcome: "completed" });
  expect(probe.text()).toBe("Whole.");
  expect(probe.all("tool_result").map((one) => one.result)).toEqual(["hello"]);
});

test("an interrupt in the middle leaves a conversation that the Responses API takes", async () => {
  const probe = await startOpenAi({ ...RESPONSES, setup: { writable: true } });
  probe.server.play(
    [...says(0, "I ask."), ...call(1, "write", { path: "a", content: "x" }), completed()],
    [...says(0, "ok"), completed()],
  );
  probe.ask("go");
  await probe.next("request");
  probe.agent.interrupt();
  await probe.next("turn_done");
  expect((await probe.run("and now?", "turn-2")).outcome).toBe("completed");
  expect(bodies(probe).at(-1)?.["input"]).toEqual([
    { role: "user", content: "go" },
    { role: "assistant", content: "I ask." },
    { type: "function_call", call_id: "call_1", name: "write", arguments: '{"path":"a","content":"x"}' },
    { type: "function_call_output", call_id: "call_1", output: expect.stringContaining("Interrupted") },
    { role: "assistant", content: "(The user interrupted me here.)" },
    { role: "user", content: "and now?" },
  ]);
});

test("faults in the stream of the Responses API are told apart: repeated, cut off, withheld", async () => {
  const probe = await startOpenAi(RESPONSES);
  probe.server.play(
    [
      ...says(0, "Hal"),
      event("response.failed", { response: { status: "failed", error: { code: "server_error", message: "oh" } } }),
    ],
    [...says(0, "Hal"), { drop: true }],
    [event("error", { code: "rate_limit_exceeded", message: "slow down" })],
    [
      ...says(0, "Half"),
      event("response.incomplete", {
        response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      }),
    ],
    [
      event("response.incomplete", {
        response: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
      }),
    ],
  );
  expect(await probe.run("go")).toMatchObject({ outcome: "completed", usage: { estimated: true } });
  expect(probe.all("retrying").map((one) => one.attempt)).toEqual([2, 3, 4]);
  expect(probe.all("text_retracted")).toHaveLength(2);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["usage_estimated", "length"]);
  expect(await probe.run("again", "turn-2")).toMatchObject({ outcome: "errored", reason: "content_filter" });
});

test("a server that says so is asked by its Responses API, and a model without reasoning is not asked for it", async () => {
  const probe = await startOpenAi();
  const only = "This model is only supported in v1/responses and not in v1/chat/completions.";
  probe.server.play(
    [{ status: 404, body: { error: { message: only } } }],
    [
      {
        status: 400,
        body: { error: { message: "Unsupported parameter: 'reasoning.summary' is not supported with this model." } },
      },
    ],
    [...says(0, "hi"), completed()],
    [...says(0, "ho"), completed()],
  );
  expect((await probe.run("go")).outcome).toBe("completed");
  expect((await probe.run("go on", "turn-2")).outcome).toBe("completed");
  expect(probe.server.requests.map((one) => [one.path, "reasoning" in one.body])).toEqual([
    ["/v1/chat/completions", false],
    ["/v1/responses", true],
    ["/v1/responses", false],
    ["/v1/responses", false],
  ]);
  expect([probe.all("retrying"), probe.all("warning")]).toEqual([[], []]);
});

test("calls and arguments over the limit are dropped with a warning", async () => {
  const probe = await startOpenAi({ ...RESPONSES, deps: { limits: { callsPerReplyMax: 1, argsBytesMax: 64 } } });
  probe.server.play(
    [...call(0, "read", { path: "x".repeat(100) }), ...call(1, "read", { path: "b" }), completed()],
    [...says(0, "ok"), completed()],
  );
  expect((await probe.run("go")).outcome).toBe("completed");
  expect(probe.all("tool_result").map((one) => one.error?.message)).toEqual([
    expect.stringContaining("longer than a call may have"),
  ]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["too_many_tool_calls"]);
});

test("usage that the server does not count is marked as estimated, also in sum; what it counts is not", async () => {
  const probe = await startOpenAi();
  const counted = { data: { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } } };
  probe.server.play([delta({ content: "uncounted" })].concat({ data: { choices: [{ finish_reason: "stop" }] } }), [
    ...chatText("counted").slice(0, -1),
    counted,
  ]);
  expect((await probe.run("go")).usage).toMatchObject({ estimated: true });
  expect((await probe.run("go on", "turn-2")).usage).toEqual({ inputTokens: 5, outputTokens: 1 });
});

test("a configured window is what the context is measured against and fitted into, without asking the server", async () => {
  const probe = await startOpenAi({ spec: { window: 4_000 } });
  probe.server.models({ data: [{ id: "m1", context_length: 999_999 }] });
  probe.server.answer(({ tools }) => (tools.length > 0 ? chatText("ok") : [{ status: 400, body: "no" }]));
  await probe.run("x".repeat(8_000));
  await probe.run("y".repeat(8_000), "turn-2");
  expect(new Set(probe.all("context_update").map((one) => one.window))).toEqual(new Set([4_000]));
  expect(probe.all("warning").map((one) => one.code)).toContain("history_dropped");
});

test("what the table tells the member of its place stays in the system prompt, however long the talk gets", async () => {
  const probe = await startOpenAi({ spec: { window: 2_000, prompt: "Be kind." } });
  probe.agent.send({
    kind: "turn",
    turnId: "t1",
    text: "x".repeat(4_000),
    attachments: [],
    systemPrompt: "Sit straight.",
  });
  await probe.next("turn_done");
  await probe.run("y".repeat(4_000), "t2");
  const systems = probe.server.requests
    .filter(({ tools }) => tools.length > 0)
    .map((one) => one.messages[0]?.content ?? "");
  expect(systems.map((one) => [one.includes("Sit straight."), one.includes("Be kind.")])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(probe.server.requests[0]?.messages[1]?.content).toBe("x".repeat(4_000));
  const alone = await startOpenAi({ spec: { prompt: "Be kind." } });
  await alone.run("hi");
  expect(alone.server.requests[0]?.messages[0]?.content).toContain("Be kind.");
});
