import { expect, test } from "vitest";
import { callError, unreportedError, isAuthError, reasonOf } from "./errors.ts";

test("the reason is found inside the agent's wrapping", () => {
  const inner = JSON.stringify({ error: { code: 400, message: "prompt is too long" } });
  expect(reasonOf({ code: 400, message: inner })).toBe("prompt is too long");
  expect(reasonOf({ code: -32603, message: "Internal error", data: { details: "no such session" } })).toBe(
    "no such session",
  );
  expect(reasonOf({ code: -32603, message: "Internal error: invalid api key" })).toBe("invalid api key");
  expect(reasonOf({ code: 1, message: "{not json" })).toBe("{not json");
});

test("errors that the user can fix have their own code", () => {
  const codes = [
    callError("m", "answer", { code: 429, message: "slow down" }),
    callError("m", "answer", { code: 400, message: "this exceeds the context window" }),
    callError("m", "answer", { code: 401, message: "no" }),
    callError("m", "answer", { code: -32603, message: "out of order" }),
    unreportedError("m", '{"error":{"message":"rate limit reached"}}'),
    unreportedError("m", " "),
  ].map(({ reason }) => reason);
  expect(codes).toEqual([
    "rate_limited",
    "context_overflow",
    "auth_required",
    "agent_error",
    "rate_limited",
    "no_answer",
  ]);
});

test("a login error is recognised by its code or its text", () => {
  expect(isAuthError({ code: -32000, message: "x" })).toBe(true);
  expect(isAuthError({ code: -32603, message: "Internal error", data: { details: "You are not logged in" } })).toBe(
    true,
  );
  expect(isAuthError({ code: -32603, message: "the author is unknown" })).toBe(false);
  expect(isAuthError({ code: -32603, message: "Invalid session identifier" })).toBe(false);
});

test("a turn without text reports the limit at which it stopped, if known", () => {
  const messages = ["max_turn_requests", "max_tokens", "end_turn"].map(
    (stop) => unreportedError("ann", "", stop).error?.message,
  );
  expect(messages).toEqual([
    "ann ended its turn without an answer: it had reached its limit of model requests.",
    "ann ended its turn without an answer: it had reached its token limit.",
    "ann ended its turn without an answer, which is how some agents end a failed turn.",
  ]);
});
