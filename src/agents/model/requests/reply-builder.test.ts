import { array, assert, integer, property, string } from "fast-check";
import { expect, test } from "vitest";
import type { ReplyPart } from "./dialect.ts";
import { ReplyBuilder } from "./reply-builder.ts";
import { createSseRecords } from "./sse-records.ts";

const limits = { argsBytesMax: 1_000, callsPerReplyMax: 4 };
const chunk = (delta: unknown, finish: string | null = null) => ({ choices: [{ delta, finish_reason: finish }] });
const call = (fields: object) => chunk({ tool_calls: [fields] });

function build(...chunks: readonly unknown[]) {
  const builder = new ReplyBuilder(limits);
  const parts: ReplyPart[] = chunks.flatMap((one) => builder.read(one));
  return { parts, reply: builder.done() };
}

test("a stream gives the same records however it is split into chunks", () => {
  const line = string({ unit: "grapheme", maxLength: 30 });
  assert(
    property(
      array(line, { maxLength: 8 }),
      array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      (texts, cuts) => {
        const records = texts.map((content) => JSON.stringify({ content }));
        const stream = `: hello\r\nevent: x\n\n${records.map((one) => `data: ${one}\r\n\n`).join("")}data: [DONE]`;
        const lines = createSseRecords(10_000);
        const got: string[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1;
          got.push(...lines.push(stream.slice(at, at + size)));
          at += size;
        }
        expect([...got, ...lines.end()]).toEqual([...records, "[DONE]"]);
      },
    ),
  );
});

test("a line of 10 MB in small chunks is read in full, and a longer one is rejected", () => {
  const records = createSseRecords(10_100_000);
  const chunk = "x".repeat(1_000);
  records.push("data: ");
  for (let at = 0; at < 10_000; at++) records.push(chunk);
  expect(records.push("\n")[0]?.length).toBe(10_000_000);
  expect(records.isTooLong).toBe(false);
  records.push("y".repeat(11_000_000));
  expect(records.isTooLong).toBe(true);
});

test("a missing blank line, a plain JSON error and other fields do not break the stream", () => {
  const records = createSseRecords(1_000);
  expect(records.push('event: x\ndata: 1\ndata: 2\n{"error":{"message":"no"}}\nid: 7\n: ping\ndata:\nda')).toEqual([
    "1",
    "2",
    '{"error":{"message":"no"}}',
  ]);
  expect([...records.push("ta: 3"), ...records.end()]).toEqual(["3"]);
});

test("arguments are joined by index, however the chunks of parallel calls are interleaved", () => {
  const { reply, parts } = build(
    call({ index: 0, id: "a", function: { name: "read", arguments: '{"pa' } }),
    call({ index: 1, id: "b", function: { name: "list", arguments: "{" } }),
    call({ index: 0, function: { arguments: 'th":"x"}' } }),
    call({ index: 1, function: { name: "list", arguments: "}" } }),
    chunk({}, "tool_calls"),
  );
  expect(reply.calls).toEqual([
    { id: "a", name: "read", args: '{"path":"x"}', isCut: false },
    { id: "b", name: "list", args: "{}", isCut: false },
  ]);
  expect(parts).toEqual([
    { type: "call", name: "read" },
    { type: "call", name: "list" },
  ]);
});

test.each([
  [
    "no index and no id",
    [
      { function: { name: "a", arguments: "{" } },
      { function: { arguments: "}" } },
      { function: { name: "b", arguments: "{}" } },
    ],
  ],
  [
    "no index",
    [
      { id: "1", function: { name: "a", arguments: "{" } },
      { id: "1", function: { arguments: "}" } },
      { id: "2", function: { name: "b", arguments: "{}" } },
    ],
  ],
  [
    "every call numbered 0",
    [
      { index: 0, id: "1", function: { name: "a", arguments: "{}" } },
      { index: 0, id: "2", function: { name: "b", arguments: "{}" } },
    ],
  ],
  [
    "arguments that are objects",
    [
      { index: 0, function: { name: "a", arguments: {} } },
      { index: 1, function: { name: "b", arguments: {} } },
    ],
  ],
])("two calls are two calls with %s", (_name, pieces) => {
  const { reply } = build(...pieces.map(call));
  expect(reply.calls.map(({ name, args }) => ({ name, args }))).toEqual([
    { name: "a", args: "{}" },
    { name: "b", args: "{}" },
  ]);
});

test.each([
  ["the same tool", "a", '{"x":2}'],
  ["another tool", "b", '{"x":2}'],
  ["another tool with arguments yet to come", "b", '{"x":', "2}"],
  ["arguments that are an object", "a", { x: 2 }],
])("calls that all have the number 0 and no id are told apart: %s", (_name, name, args, ...rest) => {
  const { reply, parts } = build(
    call({ index: 0, id: "", function: { name: "a", arguments: '{"x":1}' } }),
    call({ index: 0, id: "", function: { name, arguments: args } }),
    ...rest.map((chunk) => call({ index: 0, function: { arguments: chunk } })),
  );
  expect(reply.calls.map((one) => [one.name, one.args])).toEqual([
    ["a", '{"x":1}'],
    [name, '{"x":2}'],
  ]);
  expect(parts).toHaveLength(2);
});

test("chunks that name their call belong to it, also after another call with the same index has started", () => {
  const { reply } = build(
    call({ index: 0, id: "1", function: { name: "a", arguments: "" } }),
    call({ index: 0, id: "2", function: { name: "b", arguments: "" } }),
    call({ index: 0, id: "1", function: { arguments: '{"x":1}' } }),
    call({ index: 0, id: "2", function: { arguments: '{"x":2}' } }),
  );
  expect(reply.calls.map((one) => [one.name, one.args])).toEqual([
    ["a", '{"x":1}'],
    ["b", '{"x":2}'],
  ]);
});

test("a name repeated in each chunk does not start another call", () => {
  const pieces = ["", "{", '"x":', '{"y":1}', "}", "\n", ""];
  const { reply } = build(...pieces.map((args) => call({ index: 0, function: { name: "a", arguments: args } })));
  expect(reply.calls.map((one) => [one.name, one.args])).toEqual([["a", '{"x":{"y":1}}\n']]);
});

test("reasoning is read from both field names and from content parts", () => {
  const { parts, reply } = build(
    chunk({ reasoning_content: "one" }),
    chunk({ reasoning: "two" }),
    chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "three" }] }] }),
    chunk({ content: [{ type: "text", text: "said" }] }),
    chunk({ content: " so" }),
  );
  expect(parts).toEqual([
    { type: "thinking", text: "one" },
    { type: "thinking", text: "two" },
    { type: "thinking", text: "three" },
    { type: "text", text: "said" },
    { type: "text", text: " so" },
  ]);
  expect(reply.text).toBe("said so");
});

test("arguments above the limit are dropped, and calls above it are counted", () => {
  const { reply } = build(
    call({ index: 0, id: "a", function: { name: "write", arguments: "x".repeat(900) } }),
    call({ index: 0, function: { arguments: "x".repeat(900) } }),
    ...Array.from({ length: 9 }, (_, at) =>
      call({ index: at + 1, id: `i${at}`, function: { name: "list", arguments: "{}" } }),
    ),
  );
  expect(reply.calls[0]).toEqual({ id: "a", name: "write", args: "", isCut: true });
  expect([reply.calls.length, reply.callsDropped]).toEqual([4, 6]);
});

test("malformed chunks change nothing", () => {
  const { parts, reply } = build(
    null,
    7,
    "x",
    [],
    {},
    { choices: 1 },
    { choices: [] },
    { choices: [null] },
    { choices: [{ delta: 1 }] },
    chunk({ content: 5, tool_calls: "no" }),
    chunk({ tool_calls: [null, 3] }),
    { usage: "much" },
    { usage: { prompt_tokens: -1 } },
  );
  expect(parts).toEqual([]);
  expect(reply).toEqual({ text: "", calls: [], finish: undefined, usage: undefined, callsDropped: 0, charsOut: 0 });
});
