import { expect, test } from "vitest";
import { created, joined } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { createReplay } from "./replay.ts";

function turnDrafts(number: number): EventDraft[] {
  const turn = { turnId: `t${number}`, member: "ada" };
  return [
    { type: "turn_start", ...turn, cause: "user", messageIds: [], depth: 0 },
    { type: "text_delta", ...turn, segmentId: `s${number}`, text: "a" },
    { type: "text_delta", ...turn, segmentId: `s${number}`, text: "b" },
    { type: "text_done", ...turn, segmentId: `s${number}`, text: "ab" },
    { type: "turn_end", ...turn, outcome: "completed", durationMs: 1 },
  ];
}

const log = stamped([created(), joined("ada"), ...turnDrafts(1), ...turnDrafts(2)]);

test("a reload leaves out the deltas of finished text, and keeps those of text that is still streaming", () => {
  const replay = createReplay({ sessionId: "theirs" });
  replay.add(log.slice(0, -2));
  expect([replay.seq, replay.finish().map(({ type }) => type)]).toStrictEqual([
    10,
    ["turn_start", "assistant_done", "turn_end", "turn_start", "assistant_chunk", "assistant_chunk"],
  ]);
});

test("a reload that would be too long gives the newest events, and first how many are left out", () => {
  const replay = createReplay({ sessionId: "theirs", max: 2 });
  replay.add(log);
  const [note, ...rest] = replay.finish();
  expect(note).toMatchObject({
    type: "summary_message",
    payload: { text: expect.stringMatching(/^4 older events/) as string },
  });
  expect(rest.map(({ type }) => type)).toStrictEqual(["assistant_done", "turn_end"]);
});
