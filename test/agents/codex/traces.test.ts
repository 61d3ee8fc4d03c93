import path from "node:path";
import { expect, test } from "vitest";
import { joinDeltas, recordedTurns, replayTrace, textsOf, traceNames, type ReplayedTurn } from "./replay-trace.ts";

const GOLDEN = path.join(import.meta.dirname, "..", "golden", "codex");
const OUTCOMES: Readonly<Record<string, string>> = {
  completed: "completed",
  interrupted: "interrupted",
  failed: "errored",
};

function lastOf({ events }: ReplayedTurn) {
  const end = events.at(-1);
  return end?.type === "turn_done" ? end : undefined;
}

test.each(traceNames)("the record %s of the real Codex becomes its golden events", async (name) => {
  const turns = replayTrace(name).map(({ turnId, events }) => ({ turnId, events: joinDeltas(events) }));
  await expect(`${JSON.stringify(turns, null, 2)}\n`).toMatchFileSnapshot(path.join(GOLDEN, `${name}.json`));
});

test.each(traceNames)("in the record %s every turn ends once, as Codex says that it ended", (name) => {
  const turns = replayTrace(name);
  const recorded = recordedTurns(name);
  expect(turns.length).toBeGreaterThan(0);
  expect(turns.map((turn) => turn.events.filter(({ type }) => type === "turn_done").length)).toEqual(
    turns.map(() => 1),
  );
  expect(turns.map((turn) => lastOf(turn)?.outcome)).toEqual(
    recorded.map(({ status }) => (status === null ? "errored" : OUTCOMES[status])),
  );
});

test.each(traceNames)("in the record %s the text is what Codex says that it said", (name) => {
  const recorded = recordedTurns(name);
  for (const [at, turn] of replayTrace(name).entries()) {
    const { done, open } = textsOf(turn.events);
    expect(done).toEqual(recorded[at]?.texts);
    // What was streamed and never completed stays only where the turn did not complete either.
    if (recorded[at]?.status === "completed") expect(open).toBe("");
  }
});

test.each(traceNames)("in the record %s every tool call has one result", (name) => {
  const recorded = recordedTurns(name);
  for (const [at, { events }] of replayTrace(name).entries()) {
    const ids = (type: "tool_call_start" | "tool_result") =>
      events.flatMap((event) => (event.type === type ? [event.nativeId] : [])).toSorted();
    expect(ids("tool_call_start")).toEqual(recorded[at]?.tools.toSorted());
    expect(ids("tool_result")).toEqual(ids("tool_call_start"));
  }
});

test.each(traceNames)("in the record %s the usage of a turn is what Codex counted in it", (name) => {
  const recorded = recordedTurns(name);
  for (const [at, turn] of replayTrace(name).entries()) {
    const end = lastOf(turn);
    // A program that was ended in the middle of a turn has not told the end of its counting.
    if (recorded[at]?.status === null) continue;
    const { inputTokens, outputTokens } = end?.usage ?? {};
    const told = end?.usage === undefined ? undefined : { inputTokens, outputTokens };
    expect(told).toEqual(recorded[at]?.usage);
  }
});
