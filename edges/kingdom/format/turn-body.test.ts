import { expect, test } from "vitest";
import { decodeTurnBody, encodeTurnBody, type TurnBody } from "./turn-body.ts";

const cases: readonly [TurnBody, string][] = [
  [{ text: "Yes.", outcome: "completed" }, "Yes."],
  [{ text: "", outcome: "completed" }, "*Empty response — no text or error returned.*"],
  [{ text: "", outcome: "interrupted" }, "*Interrupted*"],
  [{ text: "Half", outcome: "interrupted" }, "Half\n\n*[Interrupted — response may be incomplete]*"],
  [{ text: "", outcome: "timed_out" }, "*Error: Timeout after 600s*"],
  [{ text: "Half", outcome: "timed_out" }, "Half"],
  [{ text: "", outcome: "errored", error: "exit\n1" }, "*Error: exit 1*"],
  [{ text: "", outcome: "errored" }, "*Error: unknown*"],
  [{ text: "Half", outcome: "errored", error: "no quota" }, "Half\n\n*Error: no quota*"],
];

test.each(cases)("the marker of its body says how a turn ended: %j", (turn, body) => {
  expect(encodeTurnBody(turn, 600)).toBe(body);
});

test("the markers are read back", () => {
  expect(cases.slice(0, 5).map(([, body]) => decodeTurnBody(body))).toEqual([
    { text: "Yes.", outcome: "completed" },
    { text: "", outcome: "errored", error: "The answer was empty." },
    { text: "", outcome: "interrupted" },
    { text: "Half", outcome: "interrupted" },
    { text: "", outcome: "timed_out", error: "Timeout after 600s" },
  ]);
  expect(decodeTurnBody("*Error: exit 1*")).toEqual({ text: "", outcome: "errored", error: "exit 1" });
  expect(decodeTurnBody("Half", "timeout")).toEqual({ text: "Half", outcome: "timed_out" });
  expect(decodeTurnBody("Half", "error")).toEqual({ text: "Half", outcome: "errored" });
});
