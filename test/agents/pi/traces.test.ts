import path from "node:path";
import { expect, test } from "vitest";
import { joinDeltas, recordedTurns, replayTrace, textsOf, traceNames, type ReplayedTurn } from "./replay-trace.ts";

const GOLDEN = path.join(import.meta.dirname, "..", "golden", "pi");

function lastOf({ events }: ReplayedTurn) {
  const end = events.at(-1);
  return end?.type === "turn_done" ? end : undefined;
}

test.each(traceNames)("the record %s of the real Pi becomes its golden events", async (file) => {
  const turns = replayTrace(file).map(({ turnId, events }) => ({ turnId, events: joinDeltas(events) }));
  const name = file.replace(/(\.io)?\.jsonl$/, "");
  await expect(`${JSON.stringify(turns, null, 2)}\n`).toMatchFileSnapshot(path.join(GOLDEN, `${name}.json`));
});

test.each(traceNames)("in the record %s every turn ends once, as Pi says that it ended", (file) => {
  const turns = replayTrace(file);
  expect(turns.length).toBeGreaterThan(0);
  expect(turns.map((turn) => turn.events.filter(({ type }) => type === "turn_done").length)).toEqual(
    turns.map(() => 1),
  );
  // A program that was ended in the middle of a turn has failed it.
  expect(turns.map((turn) => lastOf(turn)?.outcome)).toEqual(
    recordedTurns(file).map(({ outcome }) => outcome ?? "errored"),
  );
});

test.each(traceNames)("in the record %s the text is what Pi says that it said", (file) => {
  const recorded = recordedTurns(file);
  for (const [at, turn] of replayTrace(file).entries()) {
    const { done, open } = textsOf(turn.events);
    // A text that a thought has cut in two is one block for Pi.
    expect(done.join("")).toBe(recorded[at]?.texts.join(""));
    if (recorded[at]?.outcome !== null) expect(open).toBe("");
  }
});

test.each(traceNames)("in the record %s every tool call has one result", (file) => {
  const recorded = recordedTurns(file);
  for (const [at, { events }] of replayTrace(file).entries()) {
    const ids = (type: "tool_call_start" | "tool_result") =>
      events.flatMap((event) => (event.type === type ? [event.nativeId] : [])).toSorted();
    expect(ids("tool_call_start")).toEqual(recorded[at]?.tools.toSorted());
    expect(ids("tool_result")).toEqual(ids("tool_call_start"));
  }
});

test.each(traceNames)("in the record %s the usage of a turn is the sum of what Pi counted in it", (file) => {
  const recorded = recordedTurns(file);
  for (const [at, turn] of replayTrace(file).entries()) {
    const end = lastOf(turn);
    // A program that was ended in the middle of a turn has not told the end of its counting.
    if (recorded[at]?.outcome === null) continue;
    expect(end?.usage).toMatchObject(recorded[at]?.usage ?? {});
  }
});

test.each(traceNames)("in the record %s nothing is said to be out of order", (file) => {
  const warnings = replayTrace(file).flatMap(({ events }) => events.filter(({ type }) => type === "warning"));
  expect(warnings).toEqual([]);
});
