/** Reasoning that a server wants back with the calls it led to, over real HTTP: by name, by list, refused and demanded. */
import { expect, test } from "vitest";
import { calls, delta, DONE, text, type ModelRequest, type Step } from "../fakes/model-server.ts";
import { counted, faultsOf, plainBody, startContextRun, type ContextRun } from "./context-run.ts";
import { startOpenAi } from "./start-openai.ts";

const FIELDS = ["reasoning_content", "reasoning", "reasoning_details"] as const;

/** What each reply that was sent carries of its thoughts. */
function thoughtsIn(asked: ModelRequest | undefined): object[] {
  const replies = (asked?.messages ?? []).filter(({ role }) => role === "assistant");
  return replies.map((reply) =>
    Object.fromEntries(FIELDS.flatMap((one) => (one in reply ? [[one, read(reply, one)]] : []))),
  );
}

const read = (reply: object, field: string): unknown => Reflect.get(reply, field);
const textIn = (reply: object): string => {
  const text = read(reply, "reasoning_content");
  return typeof text === "string" ? text : "";
};
const refused = (message: unknown, status = 400): Step[] => [{ status, body: { error: { message } } }];
const thinks = (field: string, ...pieces: readonly unknown[]): Step[] =>
  pieces.map((piece) => delta({ [field]: piece }));
const look = calls({ name: "list" });

/** Both are told the same, and both send the same. */
async function compare(live: ContextRun): Promise<void> {
  const { server } = live;
  const copy = await live.restart();
  server.answer((asked) => counted(asked, "as before"));
  const from = server.requests.length;
  await live.send("and now?");
  const between = server.requests.length;
  await copy.send("and now?");
  expect(between).toBeGreaterThan(from);
  expect(server.requests.slice(between).map(plainBody)).toEqual(server.requests.slice(from, between).map(plainBody));
}

test.each(["reasoning_content", "reasoning"])(
  "thoughts that came as %s go back with the calls they led to, and with nothing else",
  async (field) => {
    const probe = await startOpenAi();
    probe.server.play(
      [...thinks(field, "I must ", "look."), delta({ content: "So. " }), ...look],
      [...thinks(field, "Once more."), ...look],
      [...thinks(field, "Enough."), ...text("done")],
      text("again"),
    );
    await probe.run("go");
    await probe.run("and?", "2");
    expect(probe.server.requests.map(thoughtsIn)).toEqual([
      [],
      [{ [field]: "I must look." }],
      [{ [field]: "I must look." }, { [field]: "Once more." }],
      [{ [field]: "I must look." }, { [field]: "Once more." }, {}],
    ]);
    expect(probe.all("thinking_delta").map((one) => one.text)).toEqual(["I must ", "look.", "Once more.", "Enough."]);
  },
);

test("an empty thought goes back as the empty one it was, and one that never came does not", async () => {
  const probe = await startOpenAi();
  probe.server.play(
    [...thinks("reasoning_content", ""), ...look],
    [...thinks("reasoning_content", null), ...look],
    text("ok"),
  );
  await probe.run("go");
  expect(thoughtsIn(probe.server.requests.at(-1))).toEqual([{ reasoning_content: "" }, {}]);
});

const DETAILS = [
  { type: "reasoning.text", text: "Let me look.", format: "anthropic", index: 0, signature: "sealed" },
  { type: "reasoning.encrypted", data: "xyz", index: 1, id: "a" },
  { type: "reasoning.encrypted", data: "uvw", index: 1, id: "b" },
];

test("OpenRouter's details go back as the list that their pieces make, and only to the model that had them", async () => {
  const probe = await startOpenAi({ spec: { model: "one" } });
  const piece = (reasoning: string | null, ...reasoning_details: readonly object[]): Step =>
    delta({ reasoning, reasoning_details });
  probe.server.play(
    [
      piece("Let me", { type: "reasoning.text", text: "Let me", format: "anthropic", index: 0 }),
      piece(" look.", { type: "reasoning.text", text: " look.", format: "anthropic", index: 0, signature: null }),
      piece(null, { type: "reasoning.text", signature: "sealed", index: 0 }),
      piece(null, DETAILS[1] ?? {}, DETAILS[2] ?? {}),
      ...look,
    ],
    text("ok"),
    text("other"),
  );
  await probe.run("go");
  expect(probe.all("thinking_delta").map((one) => one.text)).toEqual(["Let me", " look."]);
  probe.agent.send({ kind: "turn", turnId: "2", text: "and?", attachments: [], model: "two" });
  await probe.next("turn_done", probe.events.length);
  expect(probe.server.requests.slice(1).map((asked) => [asked.model, thoughtsIn(asked)])).toEqual([
    ["one", [{ reasoning_details: DETAILS }]],
    ["two", [{}, {}]],
  ]);
});

test("after a restart the thoughts go back as they would have without", async () => {
  const probe = await startContextRun({ files: { "a.txt": "a" } });
  const { server } = probe;
  server.play(
    [...thinks("reasoning_content", "look"), ...look],
    [delta({ reasoning_details: DETAILS }), ...look],
    text("ok"),
  );
  await probe.send("go");
  await compare(probe);
  expect(thoughtsIn(server.requests.at(-1))).toEqual([
    { reasoning_content: "look" },
    { reasoning_details: DETAILS },
    {},
  ]);
});

test("thoughts of chat completions are not sent to the Responses API", async () => {
  const probe = await startOpenAi();
  const only = "This model is only supported in v1/responses and not in v1/chat/completions.";
  const said = { type: "message", content: [{ type: "output_text", text: "ok" }] };
  probe.server.play([...thinks("reasoning_content", "pondering"), ...look], refused(only, 404), [
    { status: 200, body: { output: [said], status: "completed" } },
  ]);
  expect((await probe.run("go")).outcome).toBe("completed");
  expect(JSON.stringify(probe.server.requests.at(-1)?.body["input"])).not.toContain("pondering");
});

const MISSING = [
  "Missing `reasoning_content` field in the assistant message at message index 2. For more information, see the guide.",
  "The `reasoning_content` in the thinking mode must be passed back to the API.",
  "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
];

test.each(MISSING)("a model that wants every thought back gets it from then on: %s", async (message) => {
  const probe = await startOpenAi();
  const isWhole = ({ messages }: ModelRequest) =>
    messages.every((one) => one.role !== "assistant" || textIn(one) !== "");
  const answers = [
    look,
    [...thinks("reasoning", "Enough."), ...text("done")],
    [...thinks("reasoning", "Yes."), ...text("yes")],
  ];
  probe.server.answer((asked) => (isWhole(asked) ? (answers.shift() ?? text("ok")) : refused(message)));
  const ends = [];
  for (const turn of ["1", "2", "3"]) ends.push((await probe.run("go", turn)).outcome);
  expect(ends).toEqual(["completed", "completed", "completed"]);
  // Refused once, for the call without a thought; later thoughts are kept, also of replies without calls.
  expect(probe.server.requests.map(thoughtsIn)).toEqual([
    [],
    [{}],
    [{ reasoning_content: " " }],
    [{ reasoning_content: " " }, { reasoning_content: "Enough." }],
    [{ reasoning_content: " " }, { reasoning_content: "Enough." }, { reasoning_content: "Yes." }],
  ]);
  expect([probe.all("retrying"), probe.all("warning")]).toEqual([[], []]);
});

test("a model that goes on asking for thoughts it was given ends the turn, with what it said", async () => {
  const probe = await startOpenAi();
  const [text = ""] = MISSING;
  probe.server.answer(({ messages }) => (messages.some(({ role }) => role === "tool") ? refused(text) : look));
  const end = await probe.run("go");
  expect([end.error?.code, end.error?.message.includes("Missing `reasoning_content`")]).toEqual(["bad_request", true]);
  expect(probe.server.requests).toHaveLength(3);
});

const REFUSALS: readonly (readonly [string, string, Step[]])[] = [
  [
    "reasoning_content",
    "Cerebras",
    refused("messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported"),
  ],
  [
    "reasoning_content",
    "Groq",
    refused(
      "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
    ),
  ],
  [
    "reasoning_content",
    "Mistral",
    refused(
      {
        detail: [
          {
            type: "extra_forbidden",
            loc: ["body", "messages", 2, "assistant", "reasoning_content"],
            msg: "Extra inputs are not permitted",
          },
        ],
      },
      422,
    ),
  ],
  [
    "reasoning",
    "Fireworks, which quotes it",
    refused("Extra inputs are not permitted, field: 'messages[2].reasoning', value: 'the context length'"),
  ],
  [
    "reasoning",
    "Gemini",
    [
      {
        status: 400,
        body: [
          {
            error: {
              code: 400,
              message: 'Invalid JSON payload received. Unknown name "reasoning": Cannot find field.',
            },
          },
        ],
      },
    ],
  ],
  [
    "reasoning_details",
    "OpenRouter",
    [
      {
        status: 400,
        body: {
          error: {
            message: "Provider returned error",
            code: 400,
            metadata: { raw: '{"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}' },
          },
        },
      },
    ],
  ],
];

test.each(REFUSALS)("%s that %s refuses is left out from then on", async (field, _server, refusal) => {
  const probe = await startOpenAi();
  const thought = field === "reasoning_details" ? DETAILS : "hm";
  let asked = 0;
  probe.server.answer(({ messages }) => {
    if (messages.some((one) => field in one)) return refusal;
    return ++asked <= 2 ? [...thinks(field, thought), ...look] : text("ok");
  });
  expect((await probe.run("go")).outcome).toBe("completed");
  expect(probe.server.requests.map((one) => thoughtsIn(one).filter((sent) => field in sent).length)).toEqual([
    0, 1, 0, 0,
  ]);
  expect([probe.all("retrying"), probe.all("warning").filter((one) => one.code !== "usage_estimated")]).toEqual([
    [],
    [],
  ]);
});

test("what is kept of a thought has a limit, and details above it are left out whole", async () => {
  const probe = await startOpenAi();
  const long = "x".repeat(200_000);
  const detail = { type: "reasoning.text", text: long, index: 0 };
  probe.server.play(
    [...thinks("reasoning_content", long, long), ...look],
    [...thinks("reasoning_details", [detail], [detail], [detail]), ...look],
    text("ok"),
  );
  expect((await probe.run("go")).outcome).toBe("completed");
  const sent = thoughtsIn(probe.server.requests.at(-1));
  expect(sent.map((one) => textIn(one).length)).toEqual([256 * 1024, 0]);
  expect(sent[1]).toEqual({});
});

test("thoughts count as part of the conversation and are forgotten with the outputs they led to", async () => {
  const probe = await startContextRun({ window: 12_000, files: { "a.txt": "a" } });
  const { server } = probe;
  let asked = 0;
  server.answer((one) => {
    asked += 1;
    const step = [
      ...thinks("reasoning_content", `${asked} ${"thought ".repeat(1_200)}`),
      ...calls({ name: "read", args: { path: "a.txt" } }),
    ];
    return asked <= 6 ? step.slice(0, -2).concat(DONE) : counted(one, "done");
  });
  await probe.send("go");
  const sent = thoughtsIn(server.requests.at(-1)).map((one) => textIn(one).slice(0, 1));
  // The oldest are gone, the newest is there.
  expect([sent[0], sent.at(-1)]).toEqual(["", "6"]);
  expect(probe.events("warning").map((one) => one.code)).toContain("history_dropped");
  expect(server.requests.flatMap(faultsOf)).toEqual([]);
  await compare(probe);
});
