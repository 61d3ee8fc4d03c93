/** Failures, retries and counts that agents tell in ways of their own, as recorded. */
import { expect, test } from "vitest";
import { replayTrace } from "./replay-trace.ts";

const copilot = replayTrace("acp-copilot", "roundtable-errors").events;
const ends = copilot.filter((event) => event.type === "turn_over");

test("what Copilot says as text of its failure and its retries is no text, and the failed turn is errored", () => {
  expect(ends.map(({ outcome }) => outcome)).toEqual(["errored", "completed", "completed"]);
  expect(ends[0]?.error).toEqual({ code: "agent_error", message: "member failed: 400 scripted server error." });
  const retries = copilot.flatMap((event) => (event.type === "retrying" ? [event.reason] : []));
  expect(retries).toEqual([
    "Request failed due to a transient API error. Retrying",
    "Response was interrupted due to a server error. Retrying",
  ]);
  const texts = copilot.flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
  expect(texts.filter((text) => /Error:|Info:/.test(text))).toEqual([]);
});

test("the tokens that Copilot counts for all turns together are those of each turn", () => {
  expect(ends.map(({ usage }) => usage?.inputTokens)).toEqual([5657, 22_884 - 5657, 40_458 - 22_884]);
});

test("reports a failure that is also sent as text once, after tools too", () => {
  const { events } = replayTrace("acp-claude", "roundtable-error-after-tool");
  const said = events.flatMap(({ type }) => (type.startsWith("text_") || type === "turn_over" ? [type] : []));
  expect(said).toEqual(["text_delta", "text_retracted", "turn_over"]);
  expect(events.at(-1)).toMatchObject({ outcome: "errored" });
});
