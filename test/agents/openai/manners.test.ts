/** What is learnt of a server and of each of its models by what they refuse, over real HTTP. */
import { expect, test } from "vitest";
import type { Attached } from "../../../src/agents/index.ts";
import { calls, delta, text, type Asked, type Step } from "../fakes/model-server.ts";
import { counted, plainBody, seatForContext } from "./context-table.ts";
import { seatOpenAi, type OpenAiTable } from "./seat-openai.ts";

const refused = (message: string, status = 400): Step[] => [{ status, body: { error: { message } } }];

const PIXEL = Buffer.from("89504e470d0a1a0a01", "hex");
const image: Attached = { name: "a.png", mime: "image/png", bytes: PIXEL.length, data: PIXEL };

let turns = 0;

async function ask(table: OpenAiTable, model: string, attached: readonly Attached[] = []): Promise<void> {
  const attachments = attached.map(({ name, mime, bytes }) => ({
    name,
    mime,
    blob: { sha256: "0".repeat(64), bytes },
  }));
  const from = table.events.length;
  table.agent.send({ kind: "turn", turnId: `t${++turns}`, text: "hi", attachments, attached, model });
  expect((await table.next("turn_done", from)).outcome).toBe("completed");
}

test("a model without tools leaves the tools of the next one as they were", async () => {
  const table = await seatOpenAi();
  table.server.answer(({ model, body }) => {
    if ("stream_options" in body) return refused("Unrecognized argument: stream_options");
    return model === "small" && "tools" in body ? refused("registry/small does not support tools") : text("ok");
  });
  for (const model of ["big", "small", "small", "big"]) await ask(table, model);
  const isTold = ({ messages }: Asked) => messages[0]?.content?.includes("Your tools:") === true;
  expect(
    table.server.asked.map((one) => [one.model, "stream_options" in one.body, "tools" in one.body, isTold(one)]),
  ).toEqual([
    ["big", true, true, true],
    // Of the server, so it is not tried again with the next model.
    ["big", false, true, true],
    ["small", false, true, true],
    ["small", false, false, false],
    ["small", false, false, false],
    ["big", false, true, true],
  ]);
  expect(table.all("warning").map((one) => one.code)).toEqual(["no_tools"]);
});

test("a model that stands in for another without its tools does not cost the other one its own", async () => {
  const table = await seatOpenAi({ spec: { model: "big,small" }, deps: { limits: { attemptsMax: 1 } } });
  let isBusy = true;
  table.server.answer(({ model, body }) => {
    if (model === "big") return isBusy ? [{ status: 529 }] : text("ok");
    return "tools" in body ? refused("registry/small does not support tools") : text("ok");
  });
  await table.run("hi");
  isBusy = false;
  await table.run("hi", "2");
  expect(table.server.asked.map(({ model, body }) => [model, "tools" in body])).toEqual([
    ["big", true],
    ["small", true],
    ["small", false],
    ["big", true],
  ]);
});

test("a model that sees no images leaves the sight of the next one as it was", async () => {
  const table = await seatOpenAi();
  const hasImage = ({ body }: Asked) => JSON.stringify(body).includes("image_url");
  const refusal = "Invalid content type. image_url is only supported by certain models.";
  table.server.answer((asked) => (asked.model === "blind" && hasImage(asked) ? refused(refusal) : text("ok")));
  for (const model of ["blind", "seeing", "blind"]) await ask(table, model, [image]);
  expect(table.server.asked.map((one) => [one.model, hasImage(one)])).toEqual([
    ["blind", true],
    ["blind", false],
    ["seeing", true],
    ["blind", false],
  ]);
  expect(table.all("warning").map((one) => one.code)).toEqual(["no_images", "attachments_not_seen"]);
});

test("the API by which one model is to be had is not that of the others", async () => {
  const table = await seatOpenAi();
  const said = { type: "message", content: [{ type: "output_text", text: "ok" }] };
  table.server.answer(({ model, path }) => {
    if (path.endsWith("/responses")) return [{ status: 200, body: { output: [said], status: "completed" } }];
    return model === "new" ? refused("This model is only supported in v1/responses.", 404) : text("ok");
  });
  for (const model of ["old", "new", "old", "new"]) await ask(table, model);
  expect(table.server.asked.map(({ model, path }) => [model, path])).toEqual([
    ["old", "/v1/chat/completions"],
    ["new", "/v1/chat/completions"],
    ["new", "/v1/responses"],
    ["old", "/v1/chat/completions"],
    ["new", "/v1/responses"],
  ]);
});

test("subagents that are refused at the same time all learn from it", async () => {
  const table = await seatOpenAi({ deps: { limits: { attemptsMax: 1 } } });
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const spawn = (task: string) => ({ name: "spawn_subagent", args: { task }, id: task });
  table.server.answer(({ messages }) => {
    const task = messages[1]?.content ?? "";
    const last = messages.at(-1)?.role;
    if (task === "hi") return last === "tool" ? text("done") : calls(spawn("one"), spawn("two"));
    if (last !== "tool") return calls({ name: "list" });
    if (messages.some((message) => "reasoning_content" in message)) return text("seen");
    if (++waiting === 2) both.resolve();
    // Neither is refused before the other one has asked.
    return [{ wait: both.promise }, { data: { error: { message: "reasoning_content is missing", code: 400 } } }];
  });
  expect((await table.run("hi")).outcome).toBe("completed");
  expect(table.all("subagent_done").map((one) => [one.outcome, one.text])).toEqual([
    ["completed", "seen"],
    ["completed", "seen"],
  ]);
});

const ORDER: readonly (readonly [string, Step[]])[] = [
  ["Mistral", refused("Unexpected role 'user' after role 'tool'")],
  [
    "llama.cpp",
    refused(
      "Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
      500,
    ),
  ],
  [
    "OpenRouter",
    [
      {
        status: 400,
        body: {
          error: {
            message: "Provider returned error",
            code: 400,
            metadata: { raw: '{"object":"error","message":"Unexpected role \'user\' after role \'tool\'"}' },
          },
        },
      },
    ],
  ],
];

test.each(ORDER)(
  "where %s refuses the user after a tool's result, a reply stands between them",
  async (_server, refusal) => {
    const table = await seatForContext({ files: { "a.txt": "a" } });
    const { server } = table;
    const gate = Promise.withResolvers<void>();
    const isRefused = ({ messages }: Asked) =>
      messages.some(({ role }, at) => role === "user" && messages[at - 1]?.role === "tool");
    const first = [delta({ content: "I look. " }), { wait: gate.promise }, ...calls({ name: "list" })];
    server.answer((asked) => {
      if (isRefused(asked)) return refusal;
      return asked.messages.length === 2 ? first : counted(asked, "ok");
    });
    await table.command({ type: "send", text: "go", clientMessageId: "m-1" });
    await expect.poll(() => table.events("text_delta").length).toBe(1);
    await table.command({ type: "steer", text: "only the tests", clientMessageId: "m-2" });
    gate.resolve();
    await table.idle();
    await table.say("and now?");
    expect(table.events("turn_end").map((one) => one.outcome)).toEqual(["completed", "completed"]);
    const sent = server.asked
      .filter((asked) => !isRefused(asked))
      .map(({ messages }) => messages.slice(1).map(({ role, content }) => [role, content]));
    const steered = [
      ["user", "go"],
      ["assistant", "I look. "],
      ["tool", "a.txt"],
      ["assistant", "I have read the results."],
      ["user", "only the tests"],
    ];
    expect(sent.slice(1)).toEqual([steered, [...steered, ["assistant", "ok"], ["user", "and now?"]]]);
    // Learnt once in a life of the member; what it remembers is the same in the next one.
    expect(server.asked.filter(isRefused)).toHaveLength(1);
    const copy = await table.restart();
    const from = server.asked.length;
    await table.say("once more");
    await copy.say("once more");
    const [mine, refusedAgain, theirs] = server.asked.slice(from);
    expect(refusedAgain === undefined ? false : isRefused(refusedAgain)).toBe(true);
    expect(theirs && plainBody(theirs)).toEqual(mine && plainBody(mine));
  },
);

test("other models are sent what was said and nothing else", async () => {
  const table = await seatOpenAi({ files: { "a.txt": "x" } });
  const gate = Promise.withResolvers<void>();
  table.server.play([delta({ content: "I look. " }), { wait: gate.promise }, ...calls({ name: "list" })], text("seen"));
  table.ask("hi");
  await table.next("text_delta");
  table.agent.send({ kind: "steer", messageId: "m-2", text: "only the tests" });
  gate.resolve();
  await table.next("turn_done");
  expect(table.server.asked[1]?.messages.slice(-2).map(({ role }) => role)).toEqual(["tool", "user"]);
});
