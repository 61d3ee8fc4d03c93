import { expect, test } from "vitest";
import { readCutMessage } from "./cut-message.ts";

const LONG = "x".repeat(5_000);
const edges = (message: object) => {
  const line = JSON.stringify(message);
  return readCutMessage(line.slice(0, 512), line.slice(-512));
};

test("kind and id of an oversized message are found wherever the id is, and never inside its content", () => {
  const params = { text: LONG, id: 99 };
  const field = [
    { jsonrpc: "2.0", id: 7, method: "a/b", params },
    { id: 'x"1', method: "a/b", params, jsonrpc: "2.0" },
    { method: "a/b", params, jsonrpc: "2.0", id: 0 },
    { method: "a/b", params, id: 5, jsonrpc: "2.0" },
    { jsonrpc: "2.0", id: 3, result: params },
    { result: params, jsonrpc: "2.0", id: 4 },
    { jsonrpc: "2.0", method: "a/notice", params },
    { jsonrpc: "2.0", method: "a/notice", params: { text: LONG, inner: { id: 8 } } },
    { jsonrpc: "2.0", params, id: 6 },
    { text: LONG },
  ].map(edges);
  const unknown = { kind: "unknown", id: null };
  expect(field).toEqual([
    { kind: "request", id: 7 },
    { kind: "request", id: 'x"1' },
    { kind: "request", id: 0 },
    { kind: "request", id: 5 },
    { kind: "answer", id: 3 },
    { kind: "answer", id: 4 },
    unknown,
    unknown,
    unknown,
    unknown,
  ]);
  expect([readCutMessage("", ""), readCutMessage("[".repeat(512), "]"), readCutMessage('{"id":1', "}")]).toEqual([
    unknown,
    unknown,
    unknown,
  ]);
});
