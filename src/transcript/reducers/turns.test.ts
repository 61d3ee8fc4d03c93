import { expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { fold } from "../fold.ts";
import { loadedMessages, messageAt } from "../selectors/messages.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped([created(), joined("claude"), ...drafts]));
const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 };
const delta: EventDraft = { type: "text_delta", turnId: "t1", member: "claude", segmentId: "s1", text: "Hi" };

test("[T19] a turn takes the next position when it starts and keeps it when it ends", () => {
  const open = play(started("t1", "claude"), said("m1", ["claude"]), delta);
  expect(open.live[0]?.messages[0]).toStrictEqual({ kind: "open-turn", turnId: "t1" });
  const over = play(started("t1", "claude"), said("m1", ["claude"]), delta, ended("t1", "claude", { usage }));
  expect(over.head.openTurns).toStrictEqual({});
  expect(over.live[0]?.messages[0]).toStrictEqual({
    kind: "turn",
    position: 0,
    seq: 3,
    ts: START_TS + 3000,
    turnId: "t1",
    member: "claude",
    cause: "user",
    messageIds: [],
    depth: 0,
    replaced: [],
    blocks: [{ kind: "text", segmentId: "s1", text: "Hi", done: true, interrupted: false }],
    isThinking: false,
    usage,
    end: { seq: 6, ts: START_TS + 6000, outcome: "completed", durationMs: 1000 },
  });
});

test("[T20] a retry is drawn in the place of the turn it replaces and names all it replaced, oldest first", () => {
  const transcript = play(
    said("m1", ["claude"]),
    started("t1", "claude"),
    ended("t1", "claude", { outcome: "errored" }),
    { type: "warning", code: "slow", message: "Slow." },
    started("t2", "claude", { cause: "retry", replaces: "t1" }),
    ended("t2", "claude"),
    started("t3", "claude", { cause: "retry", replaces: "t2" }),
  );
  expect(transcript.head.messageCount).toBe(3);
  expect(messageAt(transcript, 1)).toMatchObject({ kind: "turn", turnId: "t3", position: 1, replaced: ["t1", "t2"] });
});

test("[T20] a retry of a turn that is unknown or still open is appended", () => {
  const transcript = play(
    started("t1", "claude"),
    started("t2", "claude", { replaces: "t1" }),
    started("t3", "claude", { replaces: "t0" }),
  );
  expect([...loadedMessages(transcript)]).toMatchObject([
    { turnId: "t1", replaced: [] },
    { turnId: "t2", replaced: ["t1"] },
    { turnId: "t3", replaced: ["t0"] },
  ]);
});

test.each([
  ["completed", false],
  ["interrupted", true],
  ["errored", true],
  ["timed_out", true],
] as const)(
  "[T21] nothing is open in a turn that ended %s, even when the events that said so are lost",
  (outcome, interrupted) => {
    const transcript = play(
      started("t1", "claude"),
      delta,
      { type: "thinking_delta", turnId: "t1", member: "claude", segmentId: "s2", text: "Hm" },
      { type: "tool_call_start", turnId: "t1", member: "claude", toolCallId: "c1", name: "read", args: {} },
      { type: "status", turnId: "t1", member: "claude", state: "thinking" },
      { type: "retrying", turnId: "t1", member: "claude", attempt: 1, of: 2, delayMs: 1, reason: "x" },
      ended("t1", "claude", { outcome, reason: "why", error: { code: "x", message: "y" } }),
    );
    const turn = messageAt(transcript, 0);
    expect(turn).toMatchObject({
      isThinking: false,
      blocks: [
        { kind: "text", done: true, interrupted },
        { kind: "thinking", done: true },
        { kind: "tool", state: "interrupted" },
      ],
      end: { outcome, reason: "why", error: { code: "x", message: "y" } },
    });
    expect(Object.keys(turn ?? {})).not.toEqual(expect.arrayContaining(["status"]));
    expect(turn).not.toHaveProperty("retrying");
  },
);

test("[T22] for a turn that is not open, deltas and gauges are ignored; whole texts, calls, results and ends are notices", () => {
  const late = { turnId: "t0", member: "claude" };
  const tool = { ...late, toolCallId: "c1" };
  const transcript = play(
    { type: "text_delta", ...late, segmentId: "s1", text: "x" },
    { type: "thinking_start", ...late, segmentId: "s1" },
    { type: "thinking_delta", ...late, segmentId: "s1", text: "x" },
    { type: "text_retracted", ...late, segmentId: "s1" },
    { type: "tool_call_update", ...tool },
    { type: "tool_output_delta", ...tool, text: "x" },
    { type: "status", ...late, state: "working" },
    { type: "retrying", ...late, attempt: 1, of: 2, delayMs: 1, reason: "x" },
    { type: "usage", ...late, usage },
    { type: "text_done", ...late, segmentId: "s1", text: "x" },
    { type: "thinking_done", ...late, segmentId: "s1", text: "x" },
    { type: "tool_call_start", ...tool, name: "read", args: {} },
    { type: "tool_result", ...tool, ok: true },
    { type: "steering", ...late, messageId: "m1" },
    ended("t0", "claude"),
  );
  expect(
    [...loadedMessages(transcript)].map((message) => message.kind === "notice" && message.event.type),
  ).toStrictEqual(["text_done", "thinking_done", "tool_call_start", "tool_result", "steering", "turn_end"]);
});

test("[T22] a second turn_start for an open turn is a notice and leaves the turn as it is", () => {
  const transcript = play(started("t1", "claude"), delta, started("t1", "claude"));
  expect([...loadedMessages(transcript)]).toMatchObject([
    { kind: "turn", blocks: [{ text: "Hi" }] },
    { kind: "notice", event: { type: "turn_start" } },
  ]);
});

test("[T23] totals are the sum of turn_end.usage, per session and member; copied turns are not totalled", () => {
  const { head } = play(
    started("t1", "claude"),
    { type: "usage", turnId: "t1", member: "claude", usage: { inputTokens: 999, outputTokens: 999 } },
    ended("t1", "claude", { usage }),
    ended("t0", "claude", {
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 },
    }),
    started("t2", "claude"),
    ended("t2", "claude", { usage, copied: true }),
    ended("t9", "stranger", { usage }),
  );
  expect(head.totals).toStrictEqual({
    turns: 3,
    inputTokens: 21,
    outputTokens: 5,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    reasoningTokens: 5,
    costUsd: 1,
  });
  expect(head.members["claude"]?.totals).toMatchObject({ turns: 2, inputTokens: 11, costUsd: 0.5 });
  expect(head.turnCount).toBe(2);
});

test("[T23] usage while a turn runs is a gauge: replaced, and kept when the end names none", () => {
  const gauge = (inputTokens: number): EventDraft => ({
    type: "usage",
    turnId: "t1",
    member: "claude",
    usage: { inputTokens, outputTokens: 1 },
  });
  const transcript = play(started("t1", "claude"), gauge(5), gauge(7), ended("t1", "claude"));
  expect(messageAt(transcript, 0)).toMatchObject({ usage: { inputTokens: 7, outputTokens: 1 } });
  expect(transcript.head.totals.inputTokens).toBe(0);
});
