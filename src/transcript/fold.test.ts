import { expect, test } from "vitest";
import { started } from "../../test/generate/drafts.ts";
import { stamped } from "../../test/generate/stamped.ts";
import type { EventDraft, SessionEvent } from "../protocol/index.ts";
import { empty } from "./empty.ts";
import { fold } from "./fold.ts";
import { reduce } from "./reduce.ts";

const delta = (turnId: string, segmentId: string, text: string): EventDraft => ({
  type: "text_delta",
  turnId,
  member: "claude",
  segmentId,
  text,
});
const thought = (turnId: string, segmentId: string, text: string): EventDraft => ({
  type: "thinking_delta",
  turnId,
  member: "claude",
  segmentId,
  text,
});
const oneByOne = (events: readonly SessionEvent[]) => events.reduce(reduce, empty("session"));
const open = [started("t1", "claude"), started("t2", "codex")];

test.each<[string, EventDraft[]]>([
  [
    "interleaved turns and segments",
    [
      delta("t1", "a", "1"),
      delta("t2", "b", "2"),
      delta("t1", "a", "3"),
      delta("t2", "a", "4"),
      delta("t1", "c", "5"),
      delta("t1", "a", "6"),
    ],
  ],
  [
    "text and thinking in turn",
    [delta("t1", "a", "1"), thought("t1", "b", "2"), delta("t1", "a", "3"), thought("t1", "b", "4")],
  ],
  ["a turn that is not open", [delta("t9", "a", "1"), delta("t1", "a", "2"), delta("t9", "a", "3")]],
  [
    "a segment that is done",
    [
      delta("t1", "a", "1"),
      { type: "text_done", turnId: "t1", member: "claude", segmentId: "a", text: "!" },
      delta("t1", "a", "2"),
      delta("t1", "a", "3"),
    ],
  ],
  [
    "a status in between",
    [
      delta("t1", "a", "1"),
      { type: "status", turnId: "t1", member: "claude", state: "working" },
      delta("t1", "a", "2"),
    ],
  ],
  [
    "more segments than a run takes",
    Array.from({ length: 100 }, (_, index) => delta("t1", `s${index % 40}`, `${index}`)),
  ],
])("[T1] deltas folded at once give what they give one by one: %s", (_, drafts) => {
  const events = stamped([...open, ...drafts]);
  expect(fold(empty("session"), events)).toStrictEqual(oneByOne(events));
});

test("[T5] a repeated delta is ignored and [T6] a missing one throws, in a batch as one by one", () => {
  const events = stamped([...open, delta("t1", "a", "1"), delta("t1", "a", "2"), delta("t1", "a", "3")]);
  const [first, second, one, two, three] = events as [
    SessionEvent,
    SessionEvent,
    SessionEvent,
    SessionEvent,
    SessionEvent,
  ];
  expect(fold(empty("session"), [first, second, one, one, two, one, two, three])).toStrictEqual(oneByOne(events));
  expect(() => fold(empty("session"), [first, second, one, three])).toThrow(
    "event 5 (text_delta) cannot follow 3: 1 events are missing",
  );
});
