import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { hostToolSchemas } from "../../protocol/index.ts";
import { createMcpSession } from "./mcp-session.ts";

const SENT_CHARS_MAX = 100_000;

function talk() {
  const clock = createHandClock();
  const sent: object[] = [];
  const withdrawn: string[] = [];
  let calls = 0;
  const one = createMcpSession({
    clock,
    send: (message) => JSON.stringify(message).length <= SENT_CHARS_MAX && sent.push(message) > 0,
    call: () => ({ callId: `c${(calls += 1)}` }),
    withdraw: (callId) => withdrawn.push(callId),
    listed: () => undefined,
  });
  return { clock, sent, withdrawn, one };
}

const call = (id: number | string, progressToken?: number | string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "agents_list", arguments: {}, ...(progressToken === undefined ? {} : { _meta: { progressToken } }) },
});

test("a pending call reports progress every five seconds if requested, until it is answered", () => {
  const { clock, sent, one } = talk();
  one.receive(call(1, "p"));
  one.receive(call(2));
  for (let second = 0; second < 12; second += 1) clock.advance(1_000);
  const progress = (count: number) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "p", progress: count, message: "Waiting for the answer." },
  });
  expect(sent).toEqual([progress(1), progress(2)]);
  one.answer("c1", { result: "yes", error: null });
  one.answer("c1", { result: "again", error: null });
  expect(sent.slice(2)).toEqual([{ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "yes" }] } }]);
  clock.advance(60_000);
  expect([sent.length, clock.waiting()]).toEqual([3, 0]);
});

test("a cancelled call, or one whose program is gone, is withdrawn and never answered", () => {
  const { clock, sent, withdrawn, one } = talk();
  one.receive(call(1, 1));
  one.receive(call("1", 2));
  one.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "1" } });
  expect(withdrawn).toEqual(["c2"]);
  one.end();
  expect(withdrawn).toEqual(["c2", "c1"]);
  one.answer("c1", { result: "late", error: null });
  clock.advance(60_000);
  expect(sent).toEqual([]);
});

test("the handshake accepts a requested known version, and every tool is listed with its schema", () => {
  const { sent, one } = talk();
  const versions = ["2025-06-18", "1999-01-01", 7];
  for (const [at, protocolVersion] of versions.entries()) {
    one.receive({ jsonrpc: "2.0", id: at, method: "initialize", params: { protocolVersion } });
  }
  one.receive({ jsonrpc: "2.0", id: 8, method: "ping" });
  one.receive({ jsonrpc: "2.0", id: 9, method: "tools/list" });
  one.receive({ jsonrpc: "2.0", id: 10, method: "server/discover" });
  const introduction = (id: number, protocolVersion: string) => ({
    jsonrpc: "2.0",
    id,
    result: {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "roundtable", title: "Roundtable", version: "1" },
    },
  });
  expect(sent).toEqual([
    introduction(0, "2025-06-18"),
    introduction(1, "2025-11-25"),
    introduction(2, "2025-11-25"),
    { jsonrpc: "2.0", id: 8, result: {} },
    { jsonrpc: "2.0", id: 9, result: { tools: hostToolSchemas() } },
    { jsonrpc: "2.0", id: 10, error: { code: -32_601, message: 'Unknown method "server/discover".' } },
  ]);
});

test("two open requests never share an id, and an invalid message is rejected", () => {
  const { sent, one } = talk();
  one.receive(call(1));
  one.receive(call(1));
  for (const value of [null, [], [call(5)], 7, "x", {}, { id: 3 }]) one.receive(value);
  expect(sent[0]).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32_600, message: "A request with this id is still open." },
  });
  expect(sent.slice(1)).toEqual(
    Array.from({ length: 7 }, () => ({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: "Invalid JSON-RPC message." },
    })),
  );
});

test("a JSON result that is not an object is wrapped in one, since Gemini CLI rejects others", () => {
  const { sent, one } = talk();
  const results = [true, 3, null, ["a"], "true", '"quoted"', "in words", { kept: 1 }, '{"kept":2}'];
  results.forEach((result, at) => {
    one.receive(call(at));
    one.answer(`c${at + 1}`, { result, error: null });
  });
  const texts = [
    '{"result":true}',
    '{"result":3}',
    '{"result":null}',
    '{"result":["a"]}',
    '{"result":"true"}',
    JSON.stringify({ result: '"quoted"' }),
    "in words",
    '{"kept":1}',
    '{"kept":2}',
  ];
  expect(sent).toEqual(
    texts.map((text, id) => ({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })),
  );
});

test("an oversized request is rejected under its own id, and an oversized answer is replaced by an error", () => {
  const { sent, one } = talk();
  const bad = { bytes: 2_000_000, head: '{"method":"tools/call","params":{"x":"', tail: '"},"jsonrpc":"2.0","id":4}' };
  one.complain({ reason: "too_long", ...bad }, 1_000_000);
  one.complain({ reason: "too_long", ...bad, tail: '"}}' }, 1_000_000);
  one.complain({ reason: "not_json", bytes: 3, head: "abc" }, 1_000_000);
  one.receive(call(5));
  one.answer("c1", { result: "x".repeat(SENT_CHARS_MAX), error: null });
  const message = "A line of 2000000 bytes was skipped: the limit is 1000000. Send less at once.";
  const text = "The answer is too long to send. Ask for less.";
  expect(sent).toEqual([
    { jsonrpc: "2.0", id: 4, error: { code: -32_600, message } },
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message } },
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "A line of 3 bytes is not JSON." } },
    { jsonrpc: "2.0", id: 5, result: { content: [{ type: "text", text }], isError: true } },
  ]);
});
