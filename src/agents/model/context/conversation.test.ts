import { expect, test } from "vitest";
import { Conversation } from "./conversation.ts";
import type { Message } from "../requests/message.ts";
import type { Reply } from "../requests/dialect.ts";
import { sentCalls } from "./sent-calls.ts";

const sent = (id: string) => ({ id, type: "function" as const, function: { name: "read", arguments: "{}" } });
const roles = (messages: readonly Message[]) => messages.map((message) => message.role).join(" ");

test("a turn interrupted in its tools is completed: every call gets a result, and the user an answer", () => {
  const conversation = new Conversation();
  conversation.beginTurn("hi");
  conversation.addReply("I look", [sent("a"), sent("b")]);
  conversation.addResult("a", "one");
  conversation.endTurn("", "(stopped)");
  expect(conversation.messages("s")).toEqual([
    { role: "system", content: "s" },
    { role: "user", content: "hi" },
    { role: "assistant", content: "I look", tool_calls: [sent("a"), sent("b")] },
    { role: "tool", tool_call_id: "a", content: "one" },
    { role: "tool", tool_call_id: "b", content: "Interrupted: this call was stopped before it had a result." },
    { role: "assistant", content: "(stopped)" },
  ]);
});

test("an id reused in a later reply does not settle the earlier call", () => {
  const conversation = new Conversation();
  conversation.beginTurn("hi");
  conversation.addReply("", [sent("a")]);
  conversation.addResult("a", "one");
  conversation.addReply("", [sent("a")]);
  conversation.endTurn("", "(stopped)");
  expect(roles(conversation.messages("s"))).toBe("system user assistant tool assistant tool assistant");
});

test("text before an interrupt is remembered, and a finished turn is unchanged", () => {
  const conversation = new Conversation();
  conversation.beginTurn("one");
  conversation.endTurn("half an ans", "(stopped)");
  conversation.beginTurn("two");
  conversation.addReply("whole", []);
  conversation.endTurn("", "(done)");
  expect(conversation.messages("s").slice(1)).toEqual([
    { role: "user", content: "one" },
    { role: "assistant", content: "half an ans\n\n(stopped)" },
    { role: "user", content: "two" },
    { role: "assistant", content: "whole" },
  ]);
});

test("the oldest turns are dropped first, then the oldest outputs of the running turn, never its newest", () => {
  const conversation = new Conversation();
  for (const text of ["one", "two"]) {
    conversation.beginTurn(text.repeat(1_000));
    conversation.addReply("ok", []);
  }
  conversation.beginTurn("three");
  for (const id of ["a", "b", "c"]) {
    conversation.addReply("", [sent(id)]);
    conversation.addResult(id, id.repeat(4_000));
  }
  expect(conversation.fit(2_200)).toEqual({ turnsDropped: 2, resultsDropped: 1 });
  expect(conversation.tokens).toBeLessThanOrEqual(2_200);
  expect(conversation.fit(0)).toEqual({ turnsDropped: 0, resultsDropped: 1 });
  const left = conversation.messages("s");
  expect(roles(left)).toBe("system user assistant tool assistant tool assistant tool");
  expect(left.at(-1)?.content).toBe("c".repeat(4_000));
});

test("missing or repeated ids are replaced, and non-object arguments are omitted", () => {
  const given = (id: string, name: string, args: string) => ({ id, name, args, isCut: false });
  const reply: Reply = {
    text: "",
    calls: [
      given("x", "read", '{"a":1}'),
      given("x", "read", "[1]"),
      given("", "no such\nname", "{"),
      given("y", "", ""),
    ],
    finish: undefined,
    usage: undefined,
    callsDropped: 0,
    charsOut: 0,
  };
  let next = 0;
  expect(sentCalls(reply, () => `own${++next}`)).toEqual([
    { id: "x", type: "function", function: { name: "read", arguments: '{"a":1}' } },
    { id: "own1", type: "function", function: { name: "read", arguments: "{}" } },
    { id: "own2", type: "function", function: { name: "unknown", arguments: "{}" } },
    { id: "y", type: "function", function: { name: "unknown", arguments: "{}" } },
  ]);
});
