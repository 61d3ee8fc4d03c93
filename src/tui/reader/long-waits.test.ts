import { expect, test } from "vitest";
import { ended, said, started } from "../../../test/generate/drafts.ts";
import { createManualClock } from "../../../test/host/manual-clock.ts";
import { sessionLog, transcriptOf } from "../../../test/tui/draw-panels.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { LongWaits } from "./long-waits.ts";

function listen() {
  const clock = createManualClock();
  const heard: string[] = [];
  const waits: LongWaits = new LongWaits({
    clock,
    write: (text) => {
      heard.push(text);
      waits.spoke();
    },
  });
  const show = (...drafts: EventDraft[]) => waits.show(transcriptOf(sessionLog(drafts)).head);
  return { clock, heard, waits, show };
}

test("who still works is said once in thirty silent seconds, until the turn ends", () => {
  const { clock, heard, waits, show } = listen();
  show(started("t1", "ada"));
  clock.advance(29_999);
  expect(heard).toEqual([]);
  clock.advance(1);
  clock.advance(20_000);
  waits.spoke();
  clock.advance(29_000);
  expect(heard).toEqual(["Still working: ada, 30 s."]);
  clock.advance(1_000);
  expect(heard).toEqual(["Still working: ada, 30 s.", "Still working: ada, 1 min 20 s."]);
  show(started("t1", "ada"), ended("t1", "ada"));
  clock.advance(600_000);
  expect(heard).toHaveLength(2);
});

test("members who wait are said when they wait longer than a moment, and a new try of an agent once", () => {
  const { clock, heard, show } = listen();
  const pending: EventDraft[] = [
    said("m1", ["ada", "bob"]),
    { type: "message_delivery", messageId: "m1", member: "claude", state: "pending" },
  ];
  show(...pending);
  show(said("m1", ["claude"]));
  clock.advance(5_000);
  expect(heard).toEqual([]);
  show(...pending);
  show(...pending);
  clock.advance(5_000);
  show(...pending);
  clock.advance(5_000);
  expect(heard).toEqual(["Waiting: claude is held until your next message or /continue."]);
  const retrying: EventDraft = {
    type: "retrying",
    turnId: "t1",
    member: "ada",
    attempt: 2,
    of: 5,
    delayMs: 100,
    reason: "overloaded",
  };
  show(started("t1", "ada"), retrying);
  show(started("t1", "ada"), retrying);
  expect(heard.slice(1)).toEqual(["ada tries again, attempt 2 of 5: overloaded."]);
});
