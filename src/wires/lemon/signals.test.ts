import { expect, test } from "vitest";
import { stamped } from "../../../test/generate/stamped.ts";
import { signalLines } from "./signals.ts";

const end = { type: "turn_end", turnId: "t1", member: "ada", durationMs: 5 } as const;

test("[R305] why a turn has failed or ran out of time is told as a notice", () => {
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

test("[R311] nothing in a title ends the sequence of a terminal that it is put into", () => {
  const [event] = stamped([
    { type: "ui_set_title", turnId: "t1", member: "ada", title: "a\u0007\u001b]52;c;eA==\u0007\nb" },
  ]);
  const [line] = event === undefined ? [] : signalLines(event);
  expect(line?.["params"]).toStrictEqual({ title: "a^G b" });
});
