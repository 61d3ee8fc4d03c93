/** The loop of the built-in agent against a model server over real HTTP: answers, faults, retries, models. */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createHandClock } from "../hand-clock.ts";
import { calls, delta, DONE, text, usage, type Step } from "../fakes/model-server.ts";
import { startOpenAi, reported } from "./start-openai.ts";

const completed = (input = 10, output = 2) => ({
  type: "turn_done",
  turnId: "turn-1",
  outcome: "completed",
  usage: { inputTokens: input, outputTokens: output },
});

test("thinking and text stream as they come, each closed before the next, with the server's own usage", async () => {
  const probe = await startOpenAi();
  probe.server.play([
    delta({ role: "assistant", content: "" }),
    delta({ reasoning_content: "hm " }),
    delta({ reasoning: "so" }),
    delta({ content: "Hel" }),
    delta({ content: "lo" }),
    delta({}, "stop"),
    {
      data: {
        choices: [],
        usage: {
          prompt_tokens: 20,
          completion_tokens: 5,
          prompt_tokens_details: { cached_tokens: 8 },
          completion_tokens_details: { reasoning_tokens: 3 },
          cost: 0.5,
        },
      },
    },
    DONE,
  ]);
  await probe.run("hi");
  const usageReported = { inputTokens: 20, outputTokens: 5, cacheReadTokens: 8, reasoningTokens: 3, costUsd: 0.5 };
  expect(probe.events.filter(({ type }) => type !== "context_entry" && type !== "member_guard")).toEqual([
    { type: "thinking_delta", text: "hm " },
    { type: "thinking_delta", text: "so" },
    { type: "thinking_done" },
    { type: "text_delta", text: "Hel" },
    { type: "text_delta", text: "lo" },
    { type: "text_done" },
    { type: "usage", usage: usageReported },
    { type: "turn_done", turnId: "turn-1", outcome: "completed", usage: usageReported },
  ]);
});

test("thoughts that come after the text has begun are shown after it", async () => {
  const probe = await startOpenAi();
  probe.server.play([
    delta({ content: "A" }),
    delta({ reasoning: "late" }),
    delta({ content: "B" }),
    delta({}, "stop"),
    DONE,
  ]);
  await probe.run("hi");
  expect(reported(probe).slice(0, 5)).toEqual([
    { type: "text_delta", text: "A" },
    { type: "text_delta", text: "B" },
    { type: "text_done" },
    { type: "thinking_delta", text: "late" },
    { type: "thinking_done" },
  ]);
});

test("usage is the sum of all questions of the turn", async () => {
  const probe = await startOpenAi({ files: { "a.txt": "x" } });
  probe.server.play(calls({ name: "list" }), calls({ name: "list" }), text("done"));
  const end = await probe.run("hi");
  expect(end).toEqual(completed(30, 6));
});

test("estimates usage that a server does not report, with one warning", async () => {
  const probe = await startOpenAi();
  probe.server.play([delta({ content: "x".repeat(400) }), delta({}, "stop"), DONE]);
  const first = await probe.run("hi");
  await probe.run("again", "turn-2");
  expect(first.usage?.outputTokens).toBe(100);
  expect(first.usage?.inputTokens).toBeGreaterThan(50);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["usage_estimated"]);
});

test("an answer cut off for its length is a warning, an empty one too, a withheld one an error", async () => {
  const probe = await startOpenAi();
  probe.server.play(
    [delta({ content: "half" }), delta({}, "length"), usage(1, 1), DONE],
    [delta({}, "stop"), usage(1, 1), DONE],
    [delta({}, "content_filter"), usage(1, 1), DONE],
  );
  const ends = [await probe.run("a", "1"), await probe.run("b", "2"), await probe.run("c", "3")];
  expect(ends.map((end) => [end.outcome, end.error?.code])).toEqual([
    ["completed", undefined],
    ["completed", undefined],
    ["errored", "content_filter"],
  ]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["length", "empty_answer"]);
});

test("a server that answers whole instead of in a stream is understood", async () => {
  const probe = await startOpenAi();
  const message = { role: "assistant", content: "whole", reasoning_content: "why" };
  probe.server.play([
    {
      status: 200,
      body: { choices: [{ message, finish_reason: "stop" }], usage: { prompt_tokens: 10, completion_tokens: 2 } },
    },
  ]);
  expect(await probe.run("hi")).toEqual(completed());
  expect(reported(probe).slice(0, 4)).toEqual([
    { type: "thinking_delta", text: "why" },
    { type: "thinking_done" },
    { type: "text_delta", text: "whole" },
    { type: "text_done" },
  ]);
});

test("a stream that continues or breaks after its end is a complete answer", async () => {
  const probe = await startOpenAi({ deps: { limits: { afterFinishMs: 30 } } });
  const body = [delta({ content: "ok" }), delta({}, "stop"), usage(10, 2)];
  probe.server.play([...body, { hang: true }], [...body, { drop: true }], [...body, DONE, { hang: true }], body);
  for (const turn of ["1", "2", "3", "4"])
    expect(await probe.run("hi", turn)).toEqual({ ...completed(), turnId: turn });
  expect(probe.all("retrying")).toEqual([]);
});

test.each([408, 409, 429, 500, 502, 503, 529])(
  "after status %s it is asked again, and that is shown",
  async (status) => {
    const probe = await startOpenAi({ deps: { random: () => 0.5, limits: { retryBaseMs: 4, retryMsMax: 100 } } });
    const body = { error: { message: "not now", code: "busy" } };
    probe.server.play([{ status, body }], [{ status, body }], text("ok"));
    expect(await probe.run("hi")).toEqual(completed());
    expect(probe.all("retrying").map(({ attempt, of, delayMs }) => ({ attempt, of, delayMs }))).toEqual([
      { attempt: 2, of: 5, delayMs: 4 },
      { attempt: 3, of: 5, delayMs: 8 },
    ]);
    expect(probe.all("retrying")[0]?.reason).toContain("not now");
  },
);

test("a server that does not recover ends the turn errored after the last try", async () => {
  const probe = await startOpenAi();
  probe.server.play([{ status: 500, body: { error: { message: "on fire" } } }]);
  const end = await probe.run("hi");
  expect({ outcome: end.outcome, error: end.error }).toEqual({
    outcome: "errored",
    error: {
      code: "server_error",
      message: `${probe.server.url} failed (500). It said: on fire.`,
      hint: "Ask again, or choose another model.",
      detail: '{"error":{"message":"on fire"}}',
    },
  });
  expect([probe.server.requests.length, probe.all("retrying").length]).toEqual([5, 4]);
});

test("a refused connection is retried, then reported with what to do", async () => {
  const probe = await startOpenAi();
  await probe.server.close();
  const end = await probe.run("hi");
  expect(probe.all("retrying")).toHaveLength(4);
  expect(end.error).toEqual({
    code: "connection",
    message: `${probe.server.url} did not answer: nothing is listening there.`,
    hint: "Start the model server there, or change the member's baseUrl.",
  });
});

test("honours Retry-After up to the limit", async () => {
  const clock = createHandClock();
  const probe = await startOpenAi({ deps: { clock } });
  const busy = (after: string): Step => ({
    status: 429,
    headers: { "retry-after": after },
    body: { error: { message: "slow down" } },
  });
  probe.server.play([busy("7")], [busy("3600")]);
  probe.ask("hi");
  expect((await probe.next("retrying")).delayMs).toBe(7_000);
  clock.advance(6_999);
  expect(probe.server.requests).toHaveLength(1);
  clock.advance(1);
  const end = await probe.next("turn_done");
  expect([end.outcome, end.error?.code, end.error?.hint]).toEqual([
    "errored",
    "rate_limited",
    "The server asks you to wait 60 minutes. Ask again then, or choose another model.",
  ]);
  expect(probe.server.requests).toHaveLength(2);
});

const broken: readonly (readonly [string, readonly Step[]])[] = [
  ["a dropped connection", [{ drop: true }]],
  ["an end without an end", []],
  ["something that is not JSON", [{ raw: 'data: {"this is not json\n\n' }, DONE]],
  ["an error in the stream", [{ data: { error: { message: "gone wrong", code: "server_error" } } }]],
  ["an error as a bare line", [{ raw: '{"error":{"message":"overloaded","code":502}}\n' }]],
];
test.each(broken)("after %s the shown text is retracted and repeated", async (_name, steps) => {
  const probe = await startOpenAi();
  probe.server.play([delta({ content: "Hel" }), ...steps], text("Hello"));
  expect(await probe.run("hi")).toEqual(completed());
  expect(reported(probe).map((event) => event.type)).toEqual([
    "text_delta",
    "text_retracted",
    "retrying",
    "text_delta",
    "text_done",
    "turn_done",
  ]);
  expect(probe.server.requests[1]?.messages).toEqual(probe.server.requests[0]?.messages);
});

test.each([
  ["error", []],
  ["insufficient_system_resource", [DONE]],
  ["", []],
  ["", [{ drop: true }]],
] as const)("an answer that ends with the reason %j is a half one, and is asked for again", async (reason, rest) => {
  const probe = await startOpenAi();
  probe.server.play([delta({ content: "Hel" }, ""), delta({}, reason), ...rest], text("Hello"));
  expect(await probe.run("hi")).toEqual(completed());
  expect(
    reported(probe)
      .map((event) => event.type)
      .slice(1, 3),
  ).toEqual(["text_retracted", "retrying"]);
});

test("an answer whose chunks have an empty finish reason is complete when the server ends the stream", async () => {
  const probe = await startOpenAi({ deps: { limits: { afterFinishMs: 5 } } });
  const later = new Promise((resolve) => setTimeout(resolve, 80));
  probe.server.play([delta({ content: "Hel" }, ""), { wait: later }, delta({ content: "lo" }, ""), usage(10, 2), DONE]);
  expect(await probe.run("hi")).toEqual(completed());
  expect([probe.text(), probe.all("retrying")]).toEqual(["Hello", []]);
});

test("a stream cut in the middle of a tool call runs no tool", async () => {
  const probe = await startOpenAi();
  const half = delta({ tool_calls: [{ index: 0, id: "a", function: { name: "list", arguments: '{"pa' } }] });
  probe.server.play([half, { drop: true }], text("ok"));
  expect((await probe.run("hi")).outcome).toBe("completed");
  expect(probe.all("tool_call_start")).toEqual([]);
  expect(probe.all("text_retracted")).toEqual([]);
});

test("text of an answer that cannot be retried stays and is remembered", async () => {
  const probe = await startOpenAi({ deps: { limits: { attemptsMax: 1 } } });
  probe.server.play([delta({ content: "Hel" }), { drop: true }], text("ok"));
  expect((await probe.run("hi")).error?.code).toBe("connection");
  expect(probe.all("text_retracted")).toEqual([]);
  await probe.run("again", "2");
  expect(probe.server.requests[1]?.messages.at(-2)?.content).toBe("Hel\n\n(My turn failed here.)");
});

test("a silent server is reported as loading, then retried, before and during the stream", async () => {
  const clock = createHandClock();
  const probe = await startOpenAi({ deps: { clock, limits: { quietMs: 10, firstByteMs: 100, silenceMs: 50 } } });
  probe.server.play([{ hang: true }], [delta({ content: "A" }), { hang: true }], text("ok"));
  probe.ask("hi");
  await probe.next("retrying", (await advanceUntil(probe, clock, "retrying")) - 1);
  expect(probe.all("status")).toContainEqual({ type: "status", state: "model_loading", detail: "waiting for m1" });
  await advanceUntil(probe, clock, "turn_done");
  expect(probe.all("retrying").map((one) => /sent nothing for/.test(one.reason))).toEqual([true, true]);
  expect(reported(probe).map((event) => event.type)).toEqual([
    "retrying",
    "text_delta",
    "text_retracted",
    "retrying",
    "text_delta",
    "text_done",
    "turn_done",
  ]);
});

/** Lets time pass in small steps until an event of the type is there; its place after. */
async function advanceUntil(
  probe: { events: { type: string }[] },
  clock: ReturnType<typeof createHandClock>,
  type: string,
): Promise<number> {
  while (!probe.events.some((event) => event.type === type)) {
    clock.advance(5);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return probe.events.findIndex((event) => event.type === type) + 1;
}

const overflow: Step = {
  status: 400,
  body: { error: { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" } },
};

test("drops the older half of a conversation too long for the model, warns, and retries", async () => {
  const probe = await startOpenAi();
  probe.server.play(text("one"), text("two"), text("three"), [overflow], text("four"));
  for (const turn of ["1", "2", "3"]) await probe.run(`ask ${turn}`, turn);
  expect((await probe.run("ask 4", "4")).outcome).toBe("completed");
  const last = probe.server.requests.at(-1)?.messages ?? [];
  expect(last.slice(1).map((message) => message.content)).toEqual(["ask 3", "three", "ask 4"]);
  expect(probe.all("warning")).toEqual([
    {
      type: "warning",
      code: "history_dropped",
      message: "The conversation of local was longer than what m1 takes; dropped: 2 of its oldest turns.",
    },
  ]);
});

test.each([
  ["forgotten", 3],
  ["summed up", 9],
])("retracts text that broke off for lack of room before it is repeated: %s", async (_how, turns) => {
  const probe = await startOpenAi();
  const full = { data: { error: { message: "the request exceeds the available context size", code: 400 } } };
  for (let turn = 1; turn <= turns; turn += 1) {
    probe.server.play(text("ok"));
    await probe.run(`ask ${turn}`, `t${turn}`);
  }
  const from = probe.events.length;
  let isFirst = true;
  probe.server.answer(() => {
    const steps = isFirst ? [delta({ content: "Hel" }), full] : text("Hello");
    isFirst = false;
    return steps;
  });
  expect((await probe.run("last", "last")).outcome).toBe("completed");
  const said = probe.events.slice(from).filter(({ type }) => type.startsWith("text_") || type === "compacted");
  expect(said.map(({ type }) => type)).toEqual([
    "text_delta",
    "text_retracted",
    ...(turns > 6 ? ["compacted"] : []),
    "text_delta",
    "text_done",
  ]);
});

test("a single question too long for the model ends errored, with what to do", async () => {
  const probe = await startOpenAi();
  probe.server.play([overflow]);
  const end = await probe.run("much");
  expect([end.outcome, end.error?.code, end.error?.hint]).toEqual([
    "errored",
    "context_length",
    "Ask for something smaller, start a new session, or choose a model with a larger context window.",
  ]);
  expect(probe.server.requests).toHaveLength(1);
});

test("an oversized question does not drop anything from the member's context", async () => {
  const probe = await startOpenAi();
  const isLong = (content: string | null | undefined) => content?.startsWith("much") === true;
  probe.server.answer(({ messages }) => (isLong(messages.at(-1)?.content) ? [overflow] : text("ok")));
  for (const turn of ["1", "2", "3"]) await probe.run(`ask ${turn}`, turn);
  expect((await probe.run("much", "4")).error?.code).toBe("context_length");
  await probe.run("ask 5", "5");
  const users = probe.server.requests.at(-1)?.messages.filter((message) => message.role === "user");
  expect(users?.map((message) => message.content)).toEqual(["ask 1", "ask 2", "ask 3", "much", "ask 5"]);
  expect(probe.all("warning")).toEqual([]);
});

test("a missing model falls back to the next one in the list and is not asked again", async () => {
  const probe = await startOpenAi({ spec: { model: "gone, m2" } });
  const missing: Step = {
    status: 404,
    body: { error: { message: "The model `gone` does not exist", code: "model_not_found" } },
  };
  probe.server.answer(({ model }) => (model === "gone" ? [missing] : text("ok")));
  await probe.run("hi");
  await probe.run("hi", "2");
  expect(probe.server.requests.map((one) => one.model)).toEqual(["gone", "m2", "m2"]);
  expect(probe.all("model_fallback").map(({ preferred, actual }) => ({ preferred, actual }))).toEqual([
    { preferred: "gone", actual: "m2" },
  ]);
  expect(probe.all("retrying")).toEqual([]);
});

test("an overloaded model falls back after its retries, for this turn only", async () => {
  const probe = await startOpenAi({ spec: { model: "m1,m2" }, deps: { limits: { attemptsMax: 2 } } });
  let isBusy = true;
  probe.server.answer(({ model }) => (model === "m1" && isBusy ? [{ status: 529 }] : text("ok")));
  await probe.run("hi");
  isBusy = false;
  await probe.run("hi", "2");
  expect(probe.server.requests.map((one) => one.model)).toEqual(["m1", "m1", "m2", "m1"]);
});

test("when no model answers, the turn ends with the error of the last one", async () => {
  const probe = await startOpenAi({ spec: { model: "a,b" } });
  probe.server.play([{ status: 404, body: { error: { message: "no such model" } } }]);
  const end = await probe.run("hi");
  expect([end.error?.code, end.error?.message.includes("model b")]).toEqual(["model_not_found", true]);
});

test("a turn may name another model; without one, the first model of a local server is used and reported", async () => {
  const probe = await startOpenAi({ spec: { model: "" } });
  probe.server.models({ data: [{ id: "nomic-embed-text" }, { id: "qwen3" }] });
  await probe.run("hi");
  probe.agent.send({ kind: "turn", turnId: "2", text: "hi", attachments: [], model: "special" });
  await probe.next("turn_done", probe.events.length);
  expect(probe.server.requests.map((one) => one.model)).toEqual(["qwen3", "special"]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["model_chosen"]);
});

test("the server's list of models is offered also where the configuration names the window", async () => {
  const probe = await startOpenAi({ spec: { window: 20_000 } });
  probe.server.models({ data: [{ id: "m1" }, { id: "qwen3" }] });
  // It is asked beside the first question; what comes after the turn is told in the next one.
  await probe.run("hi");
  await probe.run("hi", "turn-2");
  expect(
    probe
      .all("member_models")
      .at(-1)
      ?.models.map(({ id }) => id),
  ).toEqual(["m1", "qwen3"]);
});

test("without a model and without a list of them the turn says what is missing", async () => {
  const probe = await startOpenAi({ spec: { model: "" } });
  const end = await probe.run("hi");
  expect([end.error?.code, end.error?.hint]).toEqual(["no_model", "Name one as the member's model."]);
});

test("a window reported by the server is respected: turns that cannot be summarised are dropped with a warning", async () => {
  const probe = await startOpenAi({ deps: { hostTools: [] } });
  probe.server.models({ data: [{ id: "m1", context_length: 4_000 }] });
  probe.server.answer(({ tools }) => (tools.length > 0 ? text("ok") : [{ status: 400, body: "no" }]));
  await probe.run("first", "0");
  for (const turn of ["1", "2", "3"]) await probe.run(`${turn}${"x".repeat(4_000)}`, turn);
  const kept = probe.server.requests.at(-1)?.messages.filter((message) => message.role === "user") ?? [];
  expect(kept.map((message) => message.content?.[0])).toEqual(["2", "3"]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["compaction_failed", "history_dropped"]);
  expect(probe.all("context_update").at(-1)).toEqual({
    type: "context_update",
    used: 12,
    window: 4_000,
    compactAt: 3_200,
    measured: true,
  });
});

test("sends a steer to the model before its next request", async () => {
  const probe = await startOpenAi({ files: { "a.txt": "x" } });
  const gate = Promise.withResolvers<void>();
  probe.server.play([delta({ content: "I look. " }), { wait: gate.promise }, ...calls({ name: "list" })], text("seen"));
  probe.ask("hi");
  await probe.next("text_delta");
  probe.agent.send({ kind: "steer", messageId: "m-2", text: "only the tests" });
  probe.agent.send({ kind: "steer", messageId: "m-3", text: "and briefly" });
  gate.resolve();
  await probe.next("turn_done");
  expect(probe.all("steered").map((one) => one.messageId)).toEqual(["m-2", "m-3"]);
  expect(probe.server.requests[1]?.messages.slice(-3).map((one) => [one.role, one.content])).toEqual([
    ["assistant", "I look. "],
    ["tool", "a.txt"],
    ["user", "only the tests\n\nand briefly"],
  ]);
});

test("a message that comes while the last answer streams is answered in the same turn", async () => {
  const probe = await startOpenAi();
  const gate = Promise.withResolvers<void>();
  probe.server.play([delta({ content: "An" }), { wait: gate.promise }, ...text("swer")], text("more"));
  probe.ask("hi");
  await probe.next("text_delta");
  probe.agent.send({ kind: "steer", messageId: "m-2", text: "wait" });
  gate.resolve();
  await probe.next("turn_done");
  expect(probe.text()).toBe("Answermore");
  expect(probe.all("steered")).toHaveLength(1);
});

test("a message that comes while the task is being finished is answered, also where that takes tools", async () => {
  const probe = await startOpenAi({
    onEvent: ({ type }) => {
      if (type === "finalize_task" && probe.server.requests.length === 1)
        probe.agent.send({ kind: "steer", messageId: "m", text: "and this?" });
    },
  });
  probe.server.play(
    calls({ name: "finalize_task", args: { summary: "done" } }),
    calls({ name: "list" }),
    text("This too."),
  );
  expect((await probe.run("hi")).outcome).toBe("completed");
  expect([probe.server.requests.length, probe.text()]).toEqual([3, "This too."]);
});

test("a redirect is not followed, and an address without a model server is reported", async () => {
  const elsewhere = await startOpenAi();
  const probe = await startOpenAi({ spec: { env: ["X_KEY"] }, deps: { env: { X_KEY: "sk-canary-0123456789" } } });
  probe.server.play(
    [{ status: 307, headers: { location: `${elsewhere.server.url}/chat/completions` } }],
    [{ type: "text/html" }, { raw: "<html>" }],
    [{ type: "application/json" }, { raw: '{"hello":1}' }],
  );
  const codes: (string | undefined)[] = [];
  for (const turn of ["1", "2", "3"]) codes.push((await probe.run("hi", turn)).error?.code);
  expect(codes).toEqual(["redirected", "not_a_model_server", "not_a_model_server"]);
  expect(elsewhere.server.requests).toEqual([]);
});

test("an oversized answer ends the turn and closes the connection", async () => {
  const probe = await startOpenAi({ deps: { limits: { replyBytesMax: 10_000, lineBytesMax: 4_000 } } });
  const long = delta({ content: "x".repeat(900) });
  probe.server.play(
    [...Array.from({ length: 20 }, () => long), { hang: true }],
    [{ raw: `data: ${"x".repeat(5_000)}` }, { hang: true }],
  );
  const ends = [await probe.run("hi", "1"), await probe.run("hi", "2")];
  expect(ends.map((end) => end.error?.code)).toEqual(["too_large", "too_large"]);
  await Promise.all(probe.server.requests.map((one) => one.closed));
});

test("options that a server rejects are left out from then on", async () => {
  const probe = await startOpenAi();
  probe.server.answer(({ body }) => {
    if ("stream_options" in body)
      return [{ status: 400, body: { error: { message: "Unrecognized argument: stream_options" } } }];
    if ("tools" in body) return [{ status: 400, body: { error: { message: "registry/m1 does not support tools" } } }];
    return text("ok");
  });
  expect((await probe.run("hi")).outcome).toBe("completed");
  await probe.run("hi", "2");
  expect(probe.server.requests.map(({ body }) => ["stream_options" in body, "tools" in body])).toEqual([
    [true, true],
    [false, true],
    [false, false],
    [false, false],
  ]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["no_tools"]);
  expect(probe.all("retrying")).toEqual([]);
});

test("a refused key ends the turn with the variable to look at, and the key is nowhere in what comes up", async () => {
  const key = "sk-canary-0123456789abcdef";
  const probe = await startOpenAi({ spec: { env: ["MY_API_KEY"] }, deps: { env: { MY_API_KEY: key } } });
  const echo = (status: number): Step[] => [
    { status, body: { error: { message: `Incorrect API key provided: ${key}.`, key } } },
  ];
  probe.server.play(echo(401), echo(400), echo(500), [{ data: { error: { message: `bad ${key}` } } }]);
  const ends = [];
  for (const turn of ["1", "2", "3"]) ends.push(await probe.run("hi", turn));
  expect(probe.server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  expect(ends[0]?.error).toEqual({
    code: "unauthorized",
    message: `${probe.server.url} refused the request (401). It said: Incorrect API key provided: •••.`,
    hint: "The key is taken from MY_API_KEY; check that it is right and may use this model.",
    detail: '{"error":{"message":"Incorrect API key provided: •••.","key":"•••"}}',
  });
  expect(JSON.stringify(probe.events)).not.toContain("canary");
});

test("the system prompt has name, directory, permissions, tools and the member's own prompt", async () => {
  const readOnly = await startOpenAi({ spec: { prompt: "Be kind." } });
  const writable = await startOpenAi({ setup: { writable: true } });
  await readOnly.run("hi");
  await writable.run("hi");
  const systems = [readOnly, writable].map(({ server }) => server.requests[0]?.messages[0]);
  expect(systems.map((one) => one?.role)).toEqual(["system", "system"]);
  for (const part of ["You are local.", readOnly.cwd, "read-only", "list, search, read", "Be kind."])
    expect(systems[0]?.content).toContain(part);
  for (const part of [writable.cwd, "writable", "write, edit, shell"]) expect(systems[1]?.content).toContain(part);
});

test("the system prompt of a model and its subagents has the project's notes of that moment", async () => {
  const probe = await startOpenAi({ files: { "AGENTS.md": "Use tabs." } });
  probe.server.answer(({ messages }) =>
    messages.some(({ role }) => role === "tool") || messages[1]?.content === "look"
      ? text("ok")
      : calls({ name: "spawn_subagent", args: { task: "look" } }),
  );
  await probe.run("hi");
  const systems = probe.server.requests.map(({ messages }) => messages[0]?.content ?? "");
  expect(systems.map((one) => one.includes("> Use tabs."))).toEqual([true, true, true]);
  await writeFile(path.join(probe.cwd, "AGENTS.md"), "Use spaces.");
  await probe.run("again", "turn-2");
  expect(probe.server.requests.at(-1)?.messages[0]?.content).toContain("> Use spaces.");
});

test("retracts the text of a replaced model before the next one answers", async () => {
  const probe = await startOpenAi({ spec: { model: "a,b" }, deps: { limits: { attemptsMax: 1 } } });
  const error = { data: { error: { message: "overloaded", code: 529 } } };
  probe.server.answer(({ model }) => (model === "a" ? [delta({ content: "Hal" }), error] : text("ok")));
  expect((await probe.run("hi")).outcome).toBe("completed");
  expect(reported(probe).map((event) => event.type)).toEqual([
    "text_delta",
    "text_retracted",
    "model_fallback",
    "text_delta",
    "text_done",
    "turn_done",
  ]);
});

test("warns of a key sent unencrypted and of attachments the model cannot see", async () => {
  const asked: string[] = [];
  const fetch = (url: string): Promise<Response> => {
    asked.push(url);
    return Promise.resolve(
      Response.json({
        choices: [{ message: { content: "ok" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1 },
      }),
    );
  };
  const spec = { baseUrl: "http://models.example/v1", env: ["X_KEY"] };
  const probe = await startOpenAi({ spec, deps: { fetch, env: { X_KEY: "sk-canary-0123456789" } } });
  const attachments = [{ name: "a.png", mime: "image/png", blob: { sha256: "0".repeat(64), bytes: 1 } }];
  probe.agent.send({ kind: "turn", turnId: "1", text: "hi", attachments });
  await probe.next("turn_done");
  await probe.run("hi", "2");
  expect(probe.all("warning").map((one) => one.code)).toEqual(["key_in_clear", "attachments_not_seen"]);
  expect(asked.every((url) => url.startsWith("http://models.example/v1/"))).toBe(true);
});

test("extra fields of a tool call are returned to the server with it", async () => {
  const probe = await startOpenAi();
  const extra_content = { google: { thought_signature: "abc" } };
  const call = { index: 0, id: "a", extra_content, function: { name: "list", arguments: "{}" } };
  probe.server.play([delta({ tool_calls: [call] }), delta({}, "tool_calls"), DONE], text("ok"));
  await probe.run("hi");
  expect(probe.server.requests[1]?.messages.at(-2)?.tool_calls?.[0]).toEqual({
    id: "a",
    type: "function",
    function: { name: "list", arguments: "{}" },
    extra_content,
  });
});

test("connections of complete answers are reused, even if the answer is reported before the connection is free", async () => {
  const probe = await startOpenAi({ deps: { limits: { windowTokens: 100_000 } } });
  probe.server.play(text("ok"));
  for (const turn of ["1", "2", "3", "4", "5", "6", "7", "8"]) await probe.run("hi", turn);
  expect(probe.server.requests).toHaveLength(8);
  expect(probe.server.connections()).toBeLessThanOrEqual(3);
});
