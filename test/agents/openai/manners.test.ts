/** What is learnt of a server and of each of its models by what they refuse, over real HTTP. */
import { expect, test } from "vitest";
import type { Attached } from "../../../src/agents/index.ts";
import { calls, text, type Asked, type Step } from "../fakes/model-server.ts";
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

test("[A665] a model without tools leaves the tools of the next one as they were", async () => {
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

test("[A665] a model that stands in for another without its tools does not cost the other one its own", async () => {
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

test("[A665] a model that sees no images leaves the sight of the next one as it was", async () => {
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

test("[A665] the API by which one model is to be had is not that of the others", async () => {
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

test("[A665] subagents that are refused at the same time all learn from it", async () => {
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
