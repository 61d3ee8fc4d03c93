import { expect, test } from "vitest";
import type { UiRequestBody } from "../../../src/protocol/index.ts";
import { interactionAnswer, interactionRequest, interactionResponse } from "./interaction.ts";

const option = (value: string) => ({ value, label: value.toUpperCase() });
const approval = (...values: string[]): UiRequestBody => ({
  method: "approval",
  title: "Run?",
  tool: "bash",
  call: "ls",
  callHash: "hash",
  options: values.map(option),
});
const question: UiRequestBody = {
  method: "question",
  title: "Two things",
  questions: [
    { id: "a", text: "Which?", options: [option("x"), option("y")], multiple: true, freeText: true },
    { id: "b", text: "Why?", options: [], multiple: false, freeText: true },
  ],
};
const base = (request: UiRequestBody) => interactionRequest({ requestId: "r1", member: "ada", request });
const answer = (request: UiRequestBody, response: object) =>
  interactionAnswer(request, {
    type: "tool_interaction_response",
    sessionId: "s",
    callId: "r1",
    interactionId: "r1",
    action: "submit",
    ...response,
  });

test("an approval offers a later client of wire 004 exactly its scopes, and an answer never grants more", () => {
  const own = { toolCallId: "r1", interactionId: "r1", presentation: "questionnaire" };
  const scoped = approval("allow", "table_session", "table_always", "deny");
  expect(base(scoped)).toEqual({
    ...own,
    toolName: "bash",
    interactionType: "approval",
    prompt: "ada: Run?\nls",
    approvalScopes: ["once", "session", "always"],
  });
  const given = ["once", "session", "always", undefined].map((approvalScope) =>
    answer(scoped, { action: "approve", approvalScope }),
  );
  expect(given).toEqual(["allow", "table_session", "table_always", "allow"]);
  expect(answer(scoped, { action: "deny" })).toBe(false);
  expect(answer(scoped, { action: "cancel" })).toBe(false);
  expect(answer(approval("allow", "deny"), { action: "approve", approvalScope: "always" })).toBeUndefined();
  expect(answer(question, { action: "approve" })).toBeUndefined();
  // Choices without a matching button become a form.
  const strange = approval("aye", "nay");
  expect(base(strange)).toMatchObject({
    interactionType: "input",
    inputSchema: { fields: [{ id: "answer", type: "select", options: [option("aye"), option("nay")] }] },
  });
  expect(answer(strange, { input: { answer: "aye" } })).toBe("aye");
  expect(answer(strange, { action: "approve", approvalScope: "once" })).toBeUndefined();
});

test("every other request is a form for a later client of wire 004, and the filled-in form is the answer", () => {
  const forms: [UiRequestBody, unknown, object, unknown][] = [
    [{ method: "confirm", title: "T", message: "M" }, ["radio"], { answer: "yes" }, true],
    [{ method: "confirm", title: "T", message: "M" }, ["radio"], { answer: "no" }, false],
    [{ method: "select", title: "T", options: [option("x")] }, ["select"], { answer: "x" }, "x"],
    [{ method: "input", title: "T", placeholder: "P" }, ["text"], { answer: "words" }, "words"],
    [{ method: "editor", title: "T", prefill: "P" }, ["textarea"], { answer: "P and more" }, "P and more"],
    [
      question,
      ["multiselect", "text", "text"],
      { a: ["x"], "a:words": "and z", "b:words": "so" },
      { a: ["x", "and z"], b: "so" },
    ],
    [question, ["multiselect", "text", "text"], { a: [], "b:words": "" }, null],
  ];
  for (const [request, fields, input, result] of forms) {
    expect(base(request).inputSchema?.fields.map(({ type }) => type)).toEqual(fields);
    expect(answer(request, { input })).toEqual(result);
  }
  expect(answer({ method: "input", title: "T" }, { input: { answer: { deep: [] } } })).toBeUndefined();
  expect(answer({ method: "input", title: "T" }, { action: "cancel" })).toBeNull();
  const envelope = { v: 1 as const, seq: 1, id: "e", ts: 0, sessionId: "s", requestId: "r1" };
  const told = (request: UiRequestBody, result: string | boolean | null) =>
    interactionResponse({ ...envelope, type: "ui_response", result, error: null } as never, request);
  const own = { toolCallId: "r1", interactionId: "r1" };
  expect([
    told(approval("allow", "table_session"), "table_session"),
    told(approval("allow"), false),
    told({ method: "input", title: "T" }, null),
    told({ method: "input", title: "T" }, "x"),
    interactionResponse({ ...envelope, type: "ui_cancelled", reason: "expired" } as never, undefined),
  ]).toEqual([
    { ...own, action: "approve", approvalScope: "session" },
    { ...own, action: "deny" },
    { ...own, action: "cancel" },
    { ...own, action: "submit" },
    { ...own, action: "cancel", reason: "expired" },
  ]);
});
