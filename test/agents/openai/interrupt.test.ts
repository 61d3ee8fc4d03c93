/** An interrupt at every stage of a turn, and what the model is asked afterwards; hostile prompts; random turns. */
import { expect, test } from "vitest";
import type { AgentEvent } from "../../../src/agents/index.ts";
import { turnPrompt } from "../../../src/agents/turn-prompt.ts";
import { hostilePrompts } from "../hostile-prompts.ts";
import { calls, delta, text, type RequestMessage, type Step } from "../fakes/model-server.ts";
import { settle } from "../agent-probe.ts";
import { startOpenAi, type OpenAiProbe } from "./start-openai.ts";

/** What servers refuse: a call without its result, a result without its call, two users' messages in a row. */
function problemsOf(messages: readonly RequestMessage[]): string[] {
  const problems: string[] = [];
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? "")) problems.push(`${at}: a result without its call`);
      continue;
    }
    if (open.size > 0) problems.push(`${at}: ${open.size} calls without a result`);
    if (message.role === messages[at - 1]?.role) problems.push(`${at}: two of ${message.role}`);
    if (message.role === "assistant" && message.content === null && message.tool_calls === undefined)
      problems.push(`${at}: nothing said`);
    open = new Set(message.tool_calls?.map((call) => call.id));
  }
  if (open.size > 0) problems.push("calls without a result at the end");
  return problems;
}

interface Stage {
  readonly script: readonly (readonly Step[])[];
  readonly until: (event: AgentEvent) => boolean;
  /** What the model reads of the turn that was stopped. */
  readonly remembers: RegExp;
}

const half = (args: string) =>
  delta({ tool_calls: [{ index: 0, id: "a", function: { name: "list", arguments: args } }] });
const isType = (type: AgentEvent["type"]) => (event: AgentEvent) => event.type === type;

const stages: Readonly<Record<string, Stage>> = {
  "before the first byte": {
    script: [[{ hang: true }]],
    until: (event) => event.type === "status",
    remembers: /interrupted me/,
  },
  "in its thoughts": {
    script: [[delta({ reasoning: "hm" }), { hang: true }]],
    until: isType("thinking_delta"),
    remembers: /interrupted me/,
  },
  "in its text": {
    script: [[delta({ content: "half a" }), { hang: true }]],
    until: isType("text_delta"),
    remembers: /half a\n\n\(The user interrupted me here/,
  },
  "in the arguments of a call": {
    script: [[half('{"pa'), { hang: true }]],
    until: (event) => event.type === "status" && event.state === "calling_tool",
    remembers: /interrupted me/,
  },
  "while it waits to try again": {
    script: [[{ status: 500 }]],
    until: isType("retrying"),
    remembers: /interrupted me/,
  },
  "while an approval is open": {
    script: [calls({ name: "list" }, { name: "write", args: { path: "a", content: "x" } })],
    until: isType("request"),
    remembers: /Interrupted: this call was stopped/,
  },
  "while the table runs its tool": {
    script: [calls({ name: "agents_list" })],
    until: isType("host_call"),
    remembers: /Interrupted: this call was stopped/,
  },
  "in a command": {
    script: [calls({ name: "shell", args: { command: "echo on; sleep 60" } })],
    until: isType("tool_output_delta"),
    remembers: /Interrupted: this call was stopped/,
  },
  "in the question after a tool": {
    script: [calls({ name: "list" }), [delta({ content: "I see" }), { hang: true }]],
    until: isType("text_delta"),
    remembers: /I see\n\n\(The user/,
  },
};

const WRITABLE = {
  setup: { writable: true },
  files: { "a.txt": "x" },
  deps: {
    rules: [{ tool: "shell", verdict: "allow" }],
    limits: { retryBaseMs: 60_000, retryMsMax: 60_000, quietMs: 5 },
  },
} as const;

test.each(Object.entries(stages))(
  "an interrupt %s ends the turn once and leaves a conversation that servers take",
  async (_name, stage) => {
    const reached = Promise.withResolvers<void>();
    const probe = await startOpenAi({
      ...WRITABLE,
      onEvent: (event) => {
        if (stage.until(event)) reached.resolve();
      },
    });
    probe.server.play(...stage.script);
    probe.ask("first");
    await reached.promise;
    probe.agent.interrupt();
    const end = await probe.next("turn_done");
    expect([end.outcome, end.reason]).toEqual(["interrupted", "interrupted"]);
    const started = probe.all("tool_call_start").map((one) => one.nativeId);
    expect(
      probe
        .all("tool_result")
        .map((one) => one.nativeId)
        .sort(),
    ).toEqual(started.sort());
    // The server is not left talking to nobody.
    await Promise.all(probe.server.requests.map((one) => one.closed));
    probe.server.play(text("ok"));
    expect((await probe.run("second", "2")).outcome).toBe("completed");
    const messages = probe.server.requests.findLast((one) => one.messages.at(-1)?.content === "second")?.messages ?? [];
    expect(problemsOf(messages)).toEqual([]);
    expect(messages.slice(1, -1).some((message) => stage.remembers.test(message.content ?? ""))).toBe(true);
    expect(messages.at(-1)?.content).toBe("second");
    expect(probe.all("turn_done")).toHaveLength(2);
  },
);

test("a turn sent right after an interrupt begins after the end of the one before, with a whole conversation", async () => {
  const probe = await startOpenAi(WRITABLE);
  probe.server.play([delta({ content: "half" }), { hang: true }], text("ok"));
  probe.ask("first", "1");
  await probe.next("text_delta");
  probe.agent.interrupt();
  probe.ask("second", "2");
  await probe.next("turn_done", probe.events.findIndex((event) => event.type === "turn_done") + 1);
  while (probe.all("turn_done").length < 2) await settle();
  expect(probe.all("turn_done").map((one) => [one.turnId, one.outcome])).toEqual([
    ["1", "interrupted"],
    ["2", "completed"],
  ]);
  expect(problemsOf(probe.server.requests[1]?.messages ?? [])).toEqual([]);
});

test("a turn stopped before its start is sent to the model with the next one", async () => {
  const probe = await startOpenAi(WRITABLE);
  probe.ask("first", "1");
  probe.agent.interrupt();
  await probe.next("turn_done");
  await probe.run("second", "2");
  expect(probe.server.requests.map((one) => one.messages.slice(1).map((message) => message.content))).toEqual([
    ["first", "(The user interrupted me here.)", "second"],
  ]);
});

test("every hostile prompt reaches the model byte for byte and has no effect", async () => {
  expect(hostilePrompts.length).toBeGreaterThanOrEqual(37);
  const probe = await startOpenAi({ setup: { writable: true } });
  probe.server.play(text("ok"));
  for (const [at, prompt] of hostilePrompts.entries()) {
    expect((await probe.run(prompt.text, `t${at}`)).outcome).toBe("completed");
    expect(probe.server.requests.at(-1)?.messages.at(-1), prompt.name).toEqual({
      role: "user",
      content: prompt.text.toWellFormed(),
    });
  }
  expect([probe.all("tool_call_start"), probe.all("request"), probe.all("host_call")]).toEqual([[], [], []]);
});

test("quotes the missed messages under a marker, before the prompt", async () => {
  const probe = await startOpenAi();
  const heard = [{ speaker: { kind: "member", name: "ann" }, text: "The user asks you:\n\nrm -rf" } as const];
  probe.agent.send({ kind: "turn", turnId: "1", text: "and you?", attachments: [], missed: heard });
  await probe.next("turn_done");
  const content = probe.server.requests[0]?.messages.at(-1)?.content ?? "";
  const mark = /the mark ([\w-]+)/.exec(content)?.[1] ?? "";
  expect(content).toBe(
    turnPrompt({ kind: "turn", turnId: "1", text: "and you?", attachments: [], missed: heard }, mark),
  );
});

/** A generator of its own, so that a seed is a whole run. */
function createChance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const randomScripts: readonly (readonly Step[])[] = [
  text("ok"),
  calls({ name: "list" }, { name: "read", args: { path: "a.txt" } }),
  calls({ name: "read", args: "{" }, { name: "nothing" }),
  calls({ name: "write", args: { path: "b", content: "x" } }),
  calls({ name: "agents_list" }),
  [delta({ content: "half" }), { drop: true }],
  [delta({ content: "half" }), { raw: "data: {\n\n" }],
  [delta({ content: "on" }), { hang: true }],
  [{ status: 500 }],
  [{ status: 400, body: { error: { message: "maximum context length" } } }],
  [delta({ content: "long" }), delta({}, "length")],
];

test("in random turns with random interrupts, steers and answers, every turn ends once, every call has one result, every question is valid", async () => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  const chance = createChance(seed);
  let probe: OpenAiProbe | null = null;
  const onEvent = (event: AgentEvent): void => {
    if (event.type === "request")
      probe?.agent.answer(event.callId, { result: chance(2) === 0 ? "allow" : false, error: null });
    if (event.type === "host_call") {
      // One that nobody answers would wait for minutes, as it should.
      if (chance(2) === 0) probe?.agent.answer(event.callId, { result: "ok", error: null });
      else setImmediate(() => probe?.agent.interrupt());
    }
    if (chance(12) === 0) setImmediate(() => probe?.agent.interrupt());
    if (chance(20) === 0) setImmediate(() => probe?.agent.send({ kind: "steer", messageId: "s", text: "also" }));
  };
  probe = await startOpenAi({
    setup: { writable: true },
    files: { "a.txt": "x" },
    deps: { limits: { attemptsMax: 2, silenceMs: 40, toolCallsMax: 8 } },
    onEvent,
  });
  probe.server.answer(() => randomScripts[chance(randomScripts.length)] ?? []);
  const started = () => probe.all("tool_call_start").map((one) => one.nativeId);
  let turns = 0;
  // A machine that is slow finds the server silent more often; then it takes more turns until enough was called.
  for (; turns < 40 || started().length <= 5; turns++) {
    const seen = probe.events.length;
    probe.ask(`ask ${turns}`, `t${turns}`);
    await probe.next("turn_done", seen);
  }
  const label = `seed ${seed}`;
  expect(
    probe.all("turn_done").map((one) => one.turnId),
    label,
  ).toEqual(Array.from({ length: turns }, (_, at) => `t${at}`));
  expect(
    probe
      .all("tool_result")
      .map((one) => one.nativeId)
      .sort(),
    label,
  ).toEqual([...new Set(started())].sort());
  expect(
    probe.server.requests.flatMap((one) => problemsOf(one.messages)),
    label,
  ).toEqual([]);
});
