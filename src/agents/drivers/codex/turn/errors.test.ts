import { expect, test } from "vitest";
import { turnError } from "./errors.ts";

test.each([
  ["a name", "usageLimitExceeded", "out of it", "rate_limited", "ann failed: out of it."],
  ["an HTTP status", { httpConnectionFailed: { httpStatusCode: 401 } }, "no.", "unauthorized", "ann failed: no."],
  ["a name with a body", { serverOverloaded: {} }, "busy", "overloaded", "ann failed: busy."],
  [
    "the provider's own words",
    "other",
    '{"error":{"message":"too long","type":"invalid_request_error","code":"context_length_exceeded"}}',
    "context_overflow",
    "ann failed: too long.",
  ],
  ["something like JSON", "other", "{oops", "agent_error", "ann failed: {oops."],
  ["a name from the future", "quotaGremlin", "hm", "agent_error", "ann failed: hm."],
  ["nothing", undefined, undefined, "agent_error", "ann failed: it gave no reason."],
])("a failure told by %s gets its code, its sentence and a hint", (_name, codexErrorInfo, message, code, sentence) => {
  const { error, outcome } = turnError("ann", { codexErrorInfo, message, additionalDetails: null });
  expect({ outcome, code: error?.code, message: error?.message }).toEqual({
    outcome: "errored",
    code,
    message: sentence,
  });
  expect(error?.hint).toMatch(/\.$/);
});

test("a missing variable is named, with where to set it", () => {
  const { error } = turnError("ann", { message: "Missing environment variable: `AZURE_OPENAI_API_KEY`." });
  expect(error?.hint).toBe(
    "Set AZURE_OPENAI_API_KEY in the terminal that starts Roundtable. If it is set there, add it to agents.ann.env in the configuration.",
  );
});
