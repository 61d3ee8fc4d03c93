import { expect, test } from "vitest";
import { PENDING_MAX, call, createExchange, hold, release, settleCall, type Exchange } from "./exchange.ts";

const empty = createExchange<string, string>({ prefix: "m." });

test("calls have unique ids, and each response settles its call once, in any order", () => {
  const first = call(empty, "one", {}, "first");
  const second = call(first.exchange, "two", { a: 1 }, "second");
  expect([first.line, second.line]).toEqual([
    '{"jsonrpc":"2.0","id":"m.1","method":"one","params":{}}\n',
    '{"jsonrpc":"2.0","id":"m.2","method":"two","params":{"a":1}}\n',
  ]);
  const late = settleCall(second.exchange, "m.2");
  const early = settleCall(late.exchange, "m.1");
  const again = settleCall(early.exchange, "m.1");
  expect([late.call, early.call, again.call, settleCall(second.exchange, undefined).call]).toEqual([
    "second",
    "first",
    undefined,
    undefined,
  ]);
});

test("an exchange is immutable", () => {
  const first = call(empty, "one", {}, "first").exchange;
  settleCall(first, "m.1");
  expect([empty.calls.size, first.calls.size]).toEqual([0, 1]);
});

test('a request of the program is held until it is answered once, and 1 is not the same id as "1"', () => {
  const number = hold(empty, 1, "by number");
  const text = hold(number?.exchange ?? empty, "1", "by text");
  expect([number?.callId, text?.callId]).toEqual(["m.ask:1", 'm.ask:"1"']);
  const released = release(text?.exchange ?? empty, "m.ask:1");
  expect([released?.id, released?.what]).toEqual([1, "by number"]);
  expect(release(released?.exchange ?? empty, "m.ask:1")).toBeUndefined();
  expect(release(released?.exchange ?? empty, 'm.ask:"1"')?.id).toBe("1");
});

test("a program with too many pending requests is rejected at the limit", () => {
  let exchange: Exchange<string, string> = empty;
  for (let id = 0; id < PENDING_MAX; id += 1) exchange = hold(exchange, id, "again")?.exchange ?? empty;
  expect(exchange.pending.size).toBe(PENDING_MAX);
  expect(hold(exchange, PENDING_MAX, "once more")).toBeUndefined();
  expect(hold(exchange, 0, "the same again")).not.toBeNull();
});
