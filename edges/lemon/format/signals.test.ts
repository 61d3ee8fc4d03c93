import { expect, test } from "vitest";
import { stamped } from "../../../test/generate/stamped.ts";
import { signalLines } from "./signals.ts";

const end = { type: "turn_end", turnId: "t1", member: "ada", durationMs: 5 } as const;

test("the reason of a failed or timed-out turn is sent as a notice", () => {
  const events = stamped([
    { ...end, outcome: "completed" },
    { ...end, outcome: "interrupted", reason: "user" },
    { ...end, outcome: "errored", error: { code: "unsupported", message: "It broke.", hint: "Mend it." } },
    { ...end, outcome: "timed_out" },
  ]);
  expect(events.map((event) => signalLines(event).map((line) => line["params"]))).toStrictEqual([
    [],
    [],
    [{ message: "ada: It broke. Mend it.", notify_type: "error" }],
    [{ message: "ada: timed out", notify_type: "error" }],
  ]);
});

test("nothing in a title ends the terminal sequence that contains it", () => {
  const [event] = stamped([
    { type: "ui_set_title", turnId: "t1", member: "ada", title: "a\u0007\u001b]52;c;eA==\u0007\nb" },
  ]);
  const [line] = event === undefined ? [] : signalLines(event);
  expect(line?.["params"]).toStrictEqual({ title: "a^G b" });
});

test("a compaction is sent as a notice, with the tokens it freed", () => {
  const folded = { type: "compaction", member: "ada", summary: "So far.", firstKeptSeq: 3 } as const;
  const events = stamped([
    { ...folded, before: 2900, after: 800 },
    { ...folded, before: 0, after: 0, native: true },
    { type: "compaction_failed", member: "ada", reason: "the model did not answer" },
  ]);
  const notices = events.flatMap((event) => signalLines(event));
  expect(notices.map(({ type, params }) => ({ type, params }))).toStrictEqual(
    [
      { message: "ada: context compacted from 2900 to 800 tokens", notify_type: "info" },
      { message: "ada: context compacted", notify_type: "info" },
      { message: "ada: context not compacted: the model did not answer", notify_type: "warning" },
    ].map((params) => ({ type: "ui_notify", params })),
  );
});
