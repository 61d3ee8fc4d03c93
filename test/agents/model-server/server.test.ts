/** The model server that real agents are tried against: what it plays, in each protocol. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startModelServer, type ModelServer } from "../real/model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ delayMs: 0 });
});
afterAll(() => server.close());

const ask = (path: string, body: object): Promise<Response> =>
  fetch(server.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function play<Event>(path: string, body: object): Promise<Event[]> {
  const text = await (await ask(path, { model: "m", stream: true, ...body })).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line) => JSON.parse(line.slice("data: ".length)) as Event);
}

const user = (content: string) => ({ messages: [{ role: "user", content }] });
const THINKING = "[[fake: thinking thinking=hmm text=ok]]";

describe("thinks and speaks in the words of the tag", () => {
  test("as Chat Completions", async () => {
    type Chunk = { choices: { delta: { content?: string; reasoning_content?: string } }[] };
    const chunks = await play<Chunk>("/v1/chat/completions", user(THINKING));
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ reasoning_content: thought = "" }) => thought).join("")).toBe("hmm");
    expect(deltas.map(({ content }) => content ?? "").join("")).toBe("ok");
  });

  test("as Responses, numbered without gaps", async () => {
    type Event = { type: string; delta?: string; sequence_number: number };
    const events = await play<Event>("/v1/responses", { input: THINKING });
    const of = (type: string) => events.flatMap((event) => (event.type === type ? [event.delta ?? ""] : [])).join("");
    expect(of("response.reasoning_summary_text.delta")).toBe("hmm");
    expect(of("response.output_text.delta")).toBe("ok");
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  });

  test("as Messages", async () => {
    type Event = { type: string; content_block?: { type: string }; delta?: { text?: string; thinking?: string } };
    const events = await play<Event>("/v1/messages", user(THINKING));
    const blocks = events.flatMap(({ content_block: block }) => (block === undefined ? [] : [block.type]));
    expect(blocks).toEqual(["thinking", "text"]);
    expect(events.map(({ delta }) => delta?.thinking ?? "").join("")).toBe("hmm");
    expect(events.map(({ delta }) => delta?.text ?? "").join("")).toBe("ok");
  });

  test("as generateContent", async () => {
    type Event = { candidates: { content: { parts: { text?: string; thought?: boolean }[] } }[] };
    const contents = [{ role: "user", parts: [{ text: THINKING }] }];
    const events = await play<Event>("/v1beta/models/gemini-x:streamGenerateContent?alt=sse", { contents });
    const parts = events.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
    expect(parts.flatMap((part) => (part.thought === true ? [part.text] : [])).join("")).toBe("hmm");
    expect(parts.flatMap((part) => (part.thought === true ? [] : [part.text])).join("")).toBe("ok");
  });
});

test("calls a tool that was offered, by the end of its name, then quotes its result", async () => {
  type Chunk = { choices: { delta: { tool_calls?: { function: { name?: string; arguments: string } }[] } }[] };
  const tools = [{ type: "function", function: { name: "mcp__table__agents_list", parameters: { type: "object" } } }];
  const asked = { role: "user", content: '[[fake: tool name=agents_list args={"a":[1]}]]' };
  const chunks = await play<Chunk>("/v1/chat/completions", { tools, messages: [asked] });
  const calls = chunks.flatMap(({ choices }) => choices.flatMap(({ delta }) => delta.tool_calls ?? []));
  expect(calls[0]?.function.name).toBe("mcp__table__agents_list");
  expect(calls.map((call) => call.function.arguments).join("")).toBe('{"a":[1]}');
  const called = { role: "assistant", content: null, tool_calls: [{ id: "x", type: "function", function: {} }] };
  const result = { role: "tool", tool_call_id: "x", content: "who is here" };
  const answer = await ask("/v1/chat/completions", { model: "m", tools, messages: [asked, called, result] });
  expect(await answer.text()).toContain("who is here");
});

test("fails as often as scripted, then recovers", async () => {
  const fail = () => ask("/v1/messages", { model: "m", ...user("[[fake: rate-limit times=1 retry_after=7]]") });
  const first = await fail();
  expect([first.status, first.headers.get("retry-after"), (await fail()).status]).toEqual([429, "7", 200]);
  await expect(play("/v1/responses", { input: "[[fake: drop]]" })).rejects.toThrow();
});

test("plays any blocks in any order, with ids of calls, an end and tokens that the tag names", async () => {
  type Event = { type: string; content_block?: { type: string; id?: string }; delta?: { stop_reason?: string } };
  const list = [
    { type: "text", text: "a" },
    { type: "tool", command: "ls", id: "call_0" },
    { type: "thinking", text: "b" },
  ];
  const tag = `[[fake: blocks list=${JSON.stringify(list)} finish=refusal context=900 ]]`;
  const events = await play<Event & { message?: { usage: { input_tokens: number } } }>("/v1/messages", user(tag));
  const blocks = events.flatMap(({ content_block: block }) => (block === undefined ? [] : [block.id ?? block.type]));
  expect(blocks).toEqual(["text", "toolu_0", "thinking"]);
  expect(events.map(({ delta }) => delta?.stop_reason).filter(Boolean)).toEqual(["refusal"]);
  expect(events[0]?.message?.usage.input_tokens).toBe(450);
});
