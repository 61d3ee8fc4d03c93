import { expect, test } from "vitest";
import { readRpc, writeCall, writeError, writeNotification, writeResult } from "./messages.ts";

test("messages are classified by their fields, with or without the jsonrpc field", () => {
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"ask","params":{"a":1}}',
    '{"method":"ask","id":"x"}',
    '{"method":"tell","params":[1,2]}',
    '{"id":0,"result":null}',
    '{"id":7,"error":{"code":-32601,"message":"no","data":{"b":2}}}',
    '{"id":null,"error":{}}',
  ];
  expect(lines.map(readRpc)).toEqual([
    { kind: "request", id: 1, method: "ask", params: { a: 1 } },
    { kind: "request", id: "x", method: "ask", params: {} },
    { kind: "notification", method: "tell", params: {} },
    { kind: "result", id: 0, result: null },
    { kind: "error", id: 7, error: { code: -32_601, message: "no", data: { b: 2 } } },
    { kind: "error", id: undefined, error: { code: -32_603, message: "it gave no reason" } },
  ]);
});

test.each(["", "Downloading 3 %", "{", "null", "[]", "7", "{}", '{"id":1}', '{"id":{},"result":1}', '{"method":7}'])(
  "%j is no message and is said to be unreadable",
  (line) => {
    expect(readRpc(line)).toEqual({ kind: "unreadable" });
  },
);

test("a written message is one line that reads back unchanged", () => {
  const lines = [
    writeCall("m.1", "ask", { text: 'two\nlines \u2028 and {"id":1}' }),
    writeNotification("tell"),
    writeResult(0, { ok: true }),
    writeError("x", { code: -32_601, message: "no" }),
  ];
  expect(lines.map((line) => line.split("\n").length)).toEqual([2, 2, 2, 2]);
  expect(lines.map(readRpc)).toEqual([
    { kind: "request", id: "m.1", method: "ask", params: { text: 'two\nlines \u2028 and {"id":1}' } },
    { kind: "notification", method: "tell", params: {} },
    { kind: "result", id: 0, result: { ok: true } },
    { kind: "error", id: "x", error: { code: -32_601, message: "no" } },
  ]);
});
