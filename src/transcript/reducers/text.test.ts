import { expect, test } from "vitest";
import { started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import type { TurnMessage } from "../messages.ts";
import { fold } from "../fold.ts";

const turn = { turnId: "t1", member: "claude" };
const delta = (segmentId: string, text: string): EventDraft => ({ type: "text_delta", ...turn, segmentId, text });
const done = (segmentId: string, text: string): EventDraft => ({ type: "text_done", ...turn, segmentId, text });
const thought = (segmentId: string, text: string): EventDraft => ({ type: "thinking_delta", ...turn, segmentId, text });
const status: EventDraft = { type: "status", ...turn, state: "working", detail: "Reading a.ts" };
const retrying: EventDraft = { type: "retrying", ...turn, attempt: 1, of: 3, delayMs: 5, reason: "busy" };

function turnAfter(...drafts: EventDraft[]): TurnMessage {
  const { head } = fold(empty("session"), stamped([started("t1", "claude"), ...drafts]));
  return head.openTurns["t1"] as TurnMessage;
}

test("[T10] deltas grow the segment they name, whatever other segments came in between", () => {
  expect(turnAfter(delta("s1", "One"), delta("s2", "Two"), delta("s1", " more")).blocks).toStrictEqual([
    { kind: "text", segmentId: "s1", text: "One more", done: false, interrupted: false },
    { kind: "text", segmentId: "s2", text: "Two", done: false, interrupted: false },
  ]);
});

test("[T11] text_done wins over the deltas, those before it and those after it", () => {
  expect(turnAfter(delta("s1", "Helo"), done("s1", "Hello"), delta("s1", " again")).blocks).toStrictEqual([
    { kind: "text", segmentId: "s1", text: "Hello", done: true, interrupted: false },
  ]);
});

test("[T11] text_done without deltas makes the segment", () => {
  expect(turnAfter(done("s1", "Hello")).blocks).toStrictEqual([
    { kind: "text", segmentId: "s1", text: "Hello", done: true, interrupted: false },
  ]);
});

test("[T11] interrupted text is marked in its place", () => {
  const cut: EventDraft = { type: "text_done", ...turn, segmentId: "s1", text: "Hel", interrupted: true };
  expect(turnAfter(delta("s1", "Hel"), delta("s2", "x"), cut).blocks[0]).toStrictEqual({
    kind: "text",
    segmentId: "s1",
    text: "Hel",
    done: true,
    interrupted: true,
  });
});

test("a retracted segment is removed, text and thinking alike; its id may be used again", () => {
  const retracted = (segmentId: string): EventDraft => ({ type: "text_retracted", ...turn, segmentId });
  const blocks = turnAfter(
    delta("s1", "Wrong"),
    delta("s4", "Kept"),
    thought("s2", "Hm"),
    retracted("s1"),
    retracted("s2"),
    retracted("s3"),
    delta("s1", "Right"),
  ).blocks;
  expect(blocks).toStrictEqual([
    { kind: "text", segmentId: "s4", text: "Kept", done: false, interrupted: false },
    { kind: "text", segmentId: "s1", text: "Right", done: false, interrupted: false },
  ]);
});

test("thinking is its own segment; the turn is thinking from its start to its end", () => {
  const begun: EventDraft = { type: "thinking_start", ...turn, segmentId: "s1" };
  const over: EventDraft = { type: "thinking_done", ...turn, segmentId: "s1", text: "Hm. So." };
  const during = turnAfter(begun, thought("s1", "Hm."), begun);
  expect([during.isThinking, during.blocks]).toStrictEqual([
    true,
    [{ kind: "thinking", segmentId: "s1", text: "Hm.", done: false, startTs: expect.any(Number) }],
  ]);
  const after = turnAfter(begun, thought("s1", "Hm."), over, thought("s1", "late"));
  expect([after.isThinking, after.blocks]).toStrictEqual([
    false,
    [
      {
        kind: "thinking",
        segmentId: "s1",
        text: "Hm. So.",
        done: true,
        startTs: expect.any(Number),
        endTs: expect.any(Number),
      },
    ],
  ]);
});

test("a delta never changes the kind of its segment", () => {
  expect(turnAfter(thought("s1", "Hm"), delta("s1", "Said")).blocks).toStrictEqual([
    { kind: "thinking", segmentId: "s1", text: "Hm", done: false },
  ]);
});

test.each<[string, EventDraft, boolean]>([
  ["text", delta("s1", "Hi"), false],
  ["whole text", done("s1", "Hi"), false],
  ["thinking", thought("s1", "Hm"), true],
  ["a tool call", { type: "tool_call_start", ...turn, toolCallId: "c1", name: "read", args: {} }, false],
])("%s ends what the turn was said to be doing: status and retrying", (_, progress, isThinking) => {
  const {
    status: doing,
    retrying: again,
    isThinking: enterThinking,
  } = turnAfter(thought("s0", "Hm"), status, retrying, progress);
  expect([doing, again, enterThinking]).toStrictEqual([undefined, undefined, isThinking]);
});

test("a status is replaced by the next one, and a thinking status marks the turn as thinking", () => {
  const thinking: EventDraft = { type: "status", ...turn, state: "thinking" };
  expect(turnAfter(status, thinking)).toMatchObject({ status: { state: "thinking" }, isThinking: true });
  expect(turnAfter(thinking, status)).toMatchObject({
    status: { state: "working", detail: "Reading a.ts" },
    isThinking: false,
  });
});
