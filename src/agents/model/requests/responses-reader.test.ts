import { expect, test } from "vitest";
import { modelAgentLimits } from "../limits.ts";
import { ResponseReader } from "./responses-reader.ts";

function read(events: readonly object[]): (readonly [string, string, string])[] {
  const reader = new ResponseReader(modelAgentLimits);
  for (const event of events) reader.read(event);
  return reader.done().calls.map(({ id, name, args }) => [id, name, args] as const);
}

const item = (id: string, args: string) => ({
  type: "function_call",
  call_id: id,
  name: `tool_${id}`,
  arguments: args,
});
const added = (id: string, index: object = {}) => ({
  type: "response.output_item.added",
  item: item(id, ""),
  ...index,
});
const done = (id: string, args: string, index: object = {}) => ({
  type: "response.output_item.done",
  item: item(id, args),
  ...index,
});
const chunk = (delta: string, index: object) => ({ type: "response.function_call_arguments.delta", delta, ...index });

const BOTH = [
  ["fc_a", "tool_fc_a", '{"x":1}'],
  ["fc_b", "tool_fc_b", '{"x":2}'],
];

test("Responses API calls without index and id are distinguished by the call id of their results", () => {
  const streamed = [
    added("fc_a"),
    chunk('{"x":', { item_id: "fc_a" }),
    chunk("1}", { item_id: "fc_a" }),
    added("fc_b"),
    chunk('{"x":2}', { item_id: "fc_b" }),
  ];
  expect(read(streamed)).toEqual(BOTH);
  expect(read([...streamed, done("fc_a", '{"x":1}'), done("fc_b", '{"x":2}')])).toEqual(BOTH);
  expect(read([done("fc_a", '{"x":1}'), done("fc_b", '{"x":2}')])).toEqual(BOTH);
});

test("Responses API calls with the same index are distinguished too", () => {
  const at = { output_index: 0 };
  expect(
    read([
      added("fc_a", at),
      chunk('{"x":1}', at),
      added("fc_b", at),
      chunk('{"x":2}', at),
      done("fc_a", '{"x":1}', at),
      done("fc_b", '{"x":2}', at),
    ]),
  ).toEqual(BOTH);
});
