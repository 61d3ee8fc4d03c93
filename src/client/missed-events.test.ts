import { expect, test } from "vitest";
import type { EventDraft } from "../protocol/index.ts";
import { created, ended, joined, said, started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import { MISSED_BYTES_MAX, MissedEvents } from "./missed-events.ts";

const turn = { turnId: "t1", member: "ada" };
const tool = { ...turn, toolCallId: "c1" };

test("missed events that the transcript already shows are not stored", () => {
  const missed = new MissedEvents();
  const buffered: EventDraft[] = [created(), joined("ada"), said("m1", ["ada"]), started("t1", "ada")];
  const left: EventDraft[] = [
    { type: "text_delta", ...turn, segmentId: "s", text: "Hello" },
    { type: "tool_call_start", ...tool, name: "read", kind: "read", title: "read", args: {} },
    { type: "tool_result", ...tool, ok: true, result: "x".repeat(MISSED_BYTES_MAX) },
  ];
  const events = stamped([...buffered, ...left, ended("t1", "ada")]);
  missed.add(events);
  expect(missed.drain()).toEqual({
    events: events.filter(({ type }) => ![left[0]?.type, left[1]?.type, left[2]?.type].includes(type)),
    leftOut: 0,
  });
  expect(missed.isEmpty).toBe(true);
});

test("the newest of the other missed events are stored up to the limit, and dropped ones are counted", () => {
  const missed = new MissedEvents();
  const notes = Array.from({ length: 20 }, (_, at): EventDraft => {
    return { type: "warning", code: "slow", message: `${at} ${"x".repeat(MISSED_BYTES_MAX / 10)}` };
  });
  const events = stamped([created(), ...notes]);
  for (const event of events) missed.add([event]);
  const { events: buffered, leftOut } = missed.drain();
  expect(buffered).toEqual(events.slice(-9));
  expect(leftOut).toBe(events.length - 9);
  const huge = stamped([created({ title: "x".repeat(2 * MISSED_BYTES_MAX) })]);
  missed.add(huge);
  expect(missed.drain()).toEqual({ events: [], leftOut: 1 });
});
