import { expect, test } from "vitest";
import { Failure } from "../../kit/failure.ts";
import type { MemberAnswer } from "./answers.ts";
import { failedResult, resultOf, type Ending } from "./result.ts";

function answer(member: string, outcome: MemberAnswer["outcome"], usage?: MemberAnswer["usage"]): MemberAnswer {
  return {
    member,
    outcome,
    text: `of ${member}`,
    turns: 1,
    durationMs: 10.4,
    ...(usage === undefined ? {} : { usage }),
  };
}

const endings: readonly (readonly [Ending, MemberAnswer["outcome"][], string, number])[] = [
  ["answered", ["completed", "completed"], "success", 0],
  ["answered", ["completed", "errored"], "error_some_members", 7],
  ["answered", ["completed", "dropped"], "error_some_members", 7],
  ["answered", ["completed", "timed_out"], "error_some_members", 7],
  ["answered", ["errored", "timed_out"], "error_all_members", 1],
  ["answered", ["dropped"], "error_all_members", 1],
  ["answered", ["timed_out", "timed_out"], "error_timeout", 3],
  ["answered", ["interrupted", "interrupted"], "interrupted", 130],
  ["timeout", ["completed", "interrupted"], "error_timeout", 3],
  ["interrupted", ["interrupted"], "interrupted", 130],
  ["limit", ["completed"], "error_limit", 6],
  ["closed_output", ["interrupted"], "interrupted", 0],
];

test.each(endings)("[X11] %s with %j is %s and exits with %i", (ending, outcomes, subtype, exitCode) => {
  const answers = outcomes.map((outcome, at) => answer(`m${at}`, outcome));
  const result = resultOf({ sessionId: "S", durationMs: 1, ending, answers });
  expect(result).toMatchObject({ subtype, exit_code: exitCode, is_error: exitCode !== 0 });
});

test("usage is summed over members; counts that no member reports stay absent", () => {
  const answers = [
    answer("a", "completed", { inputTokens: 1, outputTokens: 2, costUsd: 0.5 }),
    answer("b", "completed", { inputTokens: 10, outputTokens: 20, cacheReadTokens: 3 }),
    answer("c", "completed"),
  ];
  expect(resultOf({ sessionId: "S", durationMs: 1.6, ending: "answered", answers })).toMatchObject({
    duration_ms: 2,
    result: "a:\nof a\n\nb:\nof b\n\nc:\nof c",
    usage: { input_tokens: 11, output_tokens: 22, cache_read_tokens: 3, cost_usd: 0.5 },
    total_cost_usd: 0.5,
    members: { c: { usage: null, duration_ms: 10, result: "of c", nothing_to_add: [] } },
  });
});

test("[X9] a run that failed before it asked has the same shape", () => {
  const failure = new Failure(4, "unknown_session", "there is none", { hint: "Look" });
  const failed = failedResult(failure, undefined, 3.3);
  const asked = resultOf({ sessionId: "S", durationMs: 1, ending: "answered", answers: [] });
  expect(Object.keys(failed)).toEqual(Object.keys(asked));
  expect(failed).toMatchObject({
    exit_code: 4,
    error: { code: "unknown_session", message: "there is none", hint: "Look" },
  });
});
