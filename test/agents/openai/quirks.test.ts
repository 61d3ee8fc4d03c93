/** What is learnt of a server and of each of its models by what they refuse, over real HTTP. */
import { expect, test } from "vitest";
import type { Attached } from "../../../src/agents/index.ts";
import { calls, delta, text, type ModelRequest, type Step } from "../fakes/model-server.ts";
import { counted, plainBody, startContextRun } from "./context-run.ts";
import { startOpenAi, type OpenAiProbe } from "./start-openai.ts";

const refused = (message: string, status = 400): Step[] => [{ status, body: { error: { message } } }];

const PIXEL = Buffer.from("89504e470d0a1a0a01", "hex");
const image: Attached = { name: "a.png", mime: "image/png", bytes: PIXEL.length, data: PIXEL };

let turns = 0;

async function ask(probe: OpenAiProbe, model: string, attached: readonly Attached[] = []): Promise<void> {
  const attachments = attached.map(({ name, mime, bytes }) => ({
    name,
    mime,
    blob: { sha256: "0".repeat(64), bytes },
  }));
  const from = probe.events.length;
  probe.agent.send({ kind: "turn", turnId: `t${++turns}`, text: "hi", attachments, attached, model });
  expect((await probe.next("turn_done", from)).outcome).toBe("completed");
}

test("a model without tools leaves the tools of the next one as they were", async () => {
  const probe = await startOpenAi();
  probe.server.answer(({ model, body }) => {
    if ("stream_options" in body) return refused("Unrecognized argument: stream_options");
    return model === "small" && "tools" in body ? refused("registry/small does not support tools") : text("ok");
  });
  for (const model of ["big", "small", "small", "big"]) await ask(probe, model);
  const isTold = ({ messages }: ModelRequest) => messages[0]?.content?.includes("Your tools:") === true;
  expect(
    probe.server.requests.map((one) => [one.model, "stream_options" in one.body, "tools" in one.body, isTold(one)]),
  ).toEqual([
    ["big", true, true, true],
    // Of the server, so it is not tried again with the next model.
    ["big", false, true, true],
    ["small", false, true, true],
    ["small", false, false, false],
    ["small", false, false, false],
    ["big", false, true, true],
  ]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["no_tools"]);
});

test("a model that stands in for another without its tools does not cost the other one its own", async () => {
  const probe = await startOpenAi({ spec: { model: "big,small" }, deps: { limits: { attemptsMax: 1 } } });
  let isBusy = true;
  probe.server.answer(({ model, body }) => {
    if (model === "big") return isBusy ? [{ status: 529 }] : text("ok");
    return "tools" in body ? refused("registry/small does not support tools") : text("ok");
  });
  await probe.run("hi");
  isBusy = false;
  await probe.run("hi", "2");
  expect(probe.server.requests.map(({ model, body }) => [model, "tools" in body])).toEqual([
    ["big", true],
    ["small", true],
    ["small", false],
    ["big", true],
  ]);
});

test("a model that sees no images leaves the sight of the next one as it was", async () => {
  const probe = await startOpenAi();
  const hasImage = ({ body }: ModelRequest) => JSON.stringify(body).includes("image_url");
  const refusal = "Invalid content type. image_url is only supported by certain models.";
  probe.server.answer((asked) => (asked.model === "blind" && hasImage(asked) ? refused(refusal) : text("ok")));
  for (const model of ["blind", "seeing", "blind"]) await ask(probe, model, [image]);
  expect(probe.server.requests.map((one) => [one.model, hasImage(one)])).toEqual([
    ["blind", true],
    ["blind", false],
    ["seeing", true],
    ["blind", false],
  ]);
  expect(probe.all("warning").map((one) => one.code)).toEqual(["no_images", "attachments_not_seen"]);
});

test("the API by which one model is to be had is not that of the others", async () => {
  const probe = await startOpenAi();
  const said = { type: "message", content: [{ type: "output_text", text: "ok" }] };
  probe.server.answer(({ model, path }) => {
    if (path.endsWith("/responses")) return [{ status: 200, body: { output: [said], status: "completed" } }];
    return model === "new" ? refused("This model is only supported in v1/responses.", 404) : text("ok");
  });
  for (const model of ["old", "new", "old", "new"]) await ask(probe, model);
  expect(probe.server.requests.map(({ model, path }) => [model, path])).toEqual([
    ["old", "/v1/chat/completions"],
    ["new", "/v1/chat/completions"],
    ["new", "/v1/responses"],
    ["old", "/v1/chat/completions"],
    ["new", "/v1/responses"],
  ]);
});

test("subagents that are refused at the same time all learn from it", async () => {
  const probe = await startOpenAi({ deps: { limits: { attemptsMax: 1 } } });
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const spawn = (task: string) => ({ name: "spawn_subagent", args: { task }, id: task });
  probe.server.answer(({ messages }) => {
    const task = messages[1]?.content ?? "";
    const last = messages.at(-1)?.role;
    if (task === "hi") return last === "tool" ? text("done") : calls(spawn("one"), spawn("two"));
    if (last !== "tool") return calls({ name: "list" });
    if (messages.some((message) => "reasoning_content" in message)) return text("seen");
    if (++waiting === 2) both.resolve();
    // Neither is refused before the other one has asked.
    return [{ wait: both.promise }, { data: { error: { message: "reasoning_content is missing", code: 400 } } }];
  });
  expect((await probe.run("hi")).outcome).toBe("completed");
  expect(probe.all("subagent_done").map((one) => [one.outcome, one.text])).toEqual([
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
    const probe = await startContextRun({ files: { "a.txt": "a" } });
    const { server } = probe;
    const gate = Promise.withResolvers<void>();
    const isRefused = ({ messages }: ModelRequest) =>
      messages.some(({ role }, at) => role === "user" && messages[at - 1]?.role === "tool");
    const first = [delta({ content: "I look. " }), { wait: gate.promise }, ...calls({ name: "list" })];
    server.answer((asked) => {
      if (isRefused(asked)) return refusal;
      return asked.messages.length === 2 ? first : counted(asked, "ok");
    });
    await probe.command({ type: "send", text: "go", clientMessageId: "m-1" });
    await expect.poll(() => probe.events("text_delta").length).toBe(1);
    await probe.command({ type: "steer", text: "only the tests", clientMessageId: "m-2" });
    gate.resolve();
    await probe.idle();
    await probe.send("and now?");
    expect(probe.events("turn_end").map((one) => one.outcome)).toEqual(["completed", "completed"]);
    const sent = server.requests
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
    expect(server.requests.filter(isRefused)).toHaveLength(1);
    const copy = await probe.restart();
    const from = server.requests.length;
    await probe.send("once more");
    await copy.send("once more");
    const [mine, refusedAgain, theirs] = server.requests.slice(from);
    expect(refusedAgain === undefined ? false : isRefused(refusedAgain)).toBe(true);
    expect(theirs && plainBody(theirs)).toEqual(mine && plainBody(mine));
  },
);

test("other models are sent what was said and nothing else", async () => {
  const probe = await startOpenAi({ files: { "a.txt": "x" } });
  const gate = Promise.withResolvers<void>();
  probe.server.play([delta({ content: "I look. " }), { wait: gate.promise }, ...calls({ name: "list" })], text("seen"));
  probe.ask("hi");
  await probe.next("text_delta");
  probe.agent.send({ kind: "steer", messageId: "m-2", text: "only the tests" });
  gate.resolve();
  await probe.next("turn_done");
  expect(probe.server.requests[1]?.messages.slice(-2).map(({ role }) => role)).toEqual(["tool", "user"]);
});
