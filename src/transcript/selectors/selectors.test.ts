import { describe, expect, test } from "vitest";
import { created, ended, joined, said, SETTINGS, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import { SessionSummary, type EventDraft } from "../../protocol/index.ts";
import { empty } from "../empty.ts";
import { PAGE_SIZE } from "../model.ts";
import type { TurnMessage } from "../messages.ts";
import { fold } from "../fold.ts";
import { contextMeter, isRunning, membersInOrder, summaryOf } from "./head.ts";
import { loadedMessages, loadedMessagesBackward, messageAt, messagesBetween, pageAt, turnById } from "./messages.ts";
import { failureDetail, isTransient, phaseOf, turnText } from "./turn.ts";
import { dropFrozenPages } from "../snapshot.ts";

const play = (...drafts: EventDraft[]) => fold(empty("session"), stamped([created(), joined("claude"), ...drafts]));
const turn = { turnId: "t1", member: "claude" };
const turnAfter = (...drafts: EventDraft[]) => turnById(play(started("t1", "claude"), ...drafts), "t1") as TurnMessage;
const text = (segmentId: string, said: string): EventDraft => ({ type: "text_delta", ...turn, segmentId, text: said });
const call: EventDraft = { type: "tool_call_start", ...turn, toolCallId: "c1", name: "read", args: {} };
const result: EventDraft = { type: "tool_result", ...turn, toolCallId: "c1", ok: true };
const status = (
  state: "thinking" | "working" | "calling_tool" | "model_loading" | "idle",
  detail?: string,
): EventDraft => ({
  type: "status",
  ...turn,
  state,
  ...(detail === undefined ? {} : { detail }),
});

describe("phases", () => {
  test.each<[ReturnType<typeof phaseOf>, string, EventDraft[]]>([
    ["streaming", "nothing has happened yet", []],
    ["thinking", "thinking streams", [{ type: "thinking_start", ...turn, segmentId: "s1" }]],
    ["thinking", "the agent says it thinks, also beside a running tool", [call, status("thinking")]],
    ["working", "a tool runs", [call]],
    ["working", "a tool runs while text streams", [call, text("s1", "x")]],
    ["working", "a tool is the newest block", [text("s1", "x"), call, result]],
    ["streaming", "text follows the tool", [call, result, text("s1", "x")]],
    ["working", "the agent says what it does", [text("s1", "x"), status("working", "Reading a.ts")]],
    ["working", "the agent says which tool it calls", [status("calling_tool", "Bash")]],
    ["streaming", "it does not say what it does", [status("working")]],
    ["streaming", "what it says is transient", [status("working", "Running")]],
    ["streaming", "it is not at work", [status("model_loading", "Fetching weights")]],
    ["streaming", "text follows what it did", [status("working", "Reading a.ts"), text("s1", "x")]],
    ["done", "the turn has ended", [call, ended("t1", "claude")]],
  ])("a turn is %s when %s", (phase, _, drafts) => {
    expect(phaseOf(turnAfter(...drafts))).toBe(phase);
  });

  test("transient statuses never count as activity, with an ellipsis, three dots or none", () => {
    const transient = [
      "Thinking…",
      "Thinking...",
      "thinking",
      "Model loading…",
      "Model loading...",
      "Running",
      "Running...",
      " Running… ",
      "",
    ];
    expect(transient.filter((detail) => !isTransient(detail))).toStrictEqual([]);
    expect(["Running tests", "Reading a.ts", "Thinking about a.ts…"].filter(isTransient)).toStrictEqual([]);
  });
});

test("the text of a turn is its text segments as paragraphs, without thinking and empty ones", () => {
  const turn1 = turnAfter(
    { type: "thinking_delta", ...turn, segmentId: "s0", text: "Hm" },
    text("s1", "One"),
    call,
    text("s2", ""),
    text("s3", "Two"),
  );
  expect(turnText(turn1)).toBe("One\n\nTwo");
});

test("a failed program's last lines are shown, unless they are a server's raw response or the error itself", () => {
  const printed = (detail: string) => {
    const error = { code: "crashed", message: "claude ended (exit code 1).", detail, exitCode: 1 };
    return failureDetail(turnAfter(ended("t1", "claude", { outcome: "errored", error })));
  };
  expect(printed("TypeError: no\n    at run (file:///x/core.js:65:4)\n    at async f (node:x:1:2)")).toEqual([
    "TypeError: no",
  ]);
  expect(printed("boom\n  not logged in\n")).toEqual(["boom", "  not logged in"]);
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`);
  expect(printed(lines.join("\n"))).toEqual(["… 12 more lines", ...lines.slice(-8)]);
  expect([printed('{"error":{"code":401}}'), printed("exit code 1")]).toEqual([[], []]);
});

describe("messages by position", () => {
  const notices: EventDraft[] = Array.from({ length: PAGE_SIZE }, () => ({ type: "warning", code: "x", message: "y" }));
  const transcript = play(...notices, said("m1", ["claude"]), started("t1", "claude"), text("s1", "Hi"));

  test("a message is found by position, an open turn with its content", () => {
    expect(messageAt(transcript, PAGE_SIZE)).toMatchObject({ kind: "user", messageId: "m1", position: PAGE_SIZE });
    expect(messageAt(transcript, PAGE_SIZE + 1)).toBe(transcript.head.openTurns["t1"]);
    expect([messageAt(transcript, -1), messageAt(transcript, PAGE_SIZE + 2)]).toStrictEqual([undefined, undefined]);
  });

  test("a range is cut to what exists and has undefined for messages that are not in memory", () => {
    expect(messagesBetween(transcript, PAGE_SIZE - 1, 999).map((message) => message?.kind)).toStrictEqual([
      "notice",
      "user",
      "turn",
    ]);
    const dropped = dropFrozenPages(transcript, 0);
    expect(messagesBetween(dropped, PAGE_SIZE - 1, 999).map((message) => message?.kind)).toStrictEqual([
      undefined,
      "user",
      "turn",
    ]);
    expect(messagesBetween(transcript, 5, 2)).toStrictEqual([]);
    expect([pageAt(dropped, 0), pageAt(dropped, 1)?.index, pageAt(dropped, 2)]).toStrictEqual([
      undefined,
      1,
      undefined,
    ]);
  });

  test("what is in memory can be walked in both directions", () => {
    const dropped = dropFrozenPages(transcript, 0);
    const forward = [...loadedMessages(dropped)];
    expect(forward.map((message) => message.position)).toStrictEqual([PAGE_SIZE, PAGE_SIZE + 1]);
    expect([...loadedMessagesBackward(dropped)]).toStrictEqual(forward.toReversed());
    expect([...loadedMessages(transcript)]).toHaveLength(PAGE_SIZE + 2);
  });
});

test("members are sorted by settings.order, then by joining; members that left are omitted", () => {
  const { head } = play(
    joined("codex"),
    joined("pi"),
    joined("scout"),
    { type: "member_left", member: "codex" },
    {
      type: "settings_changed",
      settings: { order: ["scout", "codex", "nobody"] },
    },
  );
  expect(membersInOrder(head).map((member) => member.name)).toStrictEqual(["scout", "claude", "pi"]);
});

test("the context meter shows how full a member's window is and when it will be compacted", () => {
  const update = (used: number, compactAt?: number): EventDraft => ({
    type: "context_update",
    member: "claude",
    used,
    window: 100,
    ...(compactAt === undefined ? {} : { compactAt }),
    measured: true,
  });
  expect(contextMeter(play(update(25, 80)).head, "claude")).toStrictEqual({
    used: 25,
    window: 100,
    fraction: 0.25,
    untilCompaction: 55,
    measured: true,
  });
  expect(contextMeter(play(update(120, 80)).head, "claude")).toMatchObject({ fraction: 1, untilCompaction: 0 });
  expect(contextMeter(play(update(25)).head, "claude")).not.toHaveProperty("untilCompaction");
  expect([contextMeter(play().head, "claude"), contextMeter(play().head, "nobody")]).toStrictEqual([
    undefined,
    undefined,
  ]);
});

describe("summaries", () => {
  const drafts = [joined("codex"), said("m1", ["claude"]), started("t1", "claude")];

  test("a summary has what a listing shows, and passes its own schema", () => {
    const summary = summaryOf(
      play({ type: "settings_changed", settings: { ...SETTINGS, order: ["codex"] } }, ...drafts),
    );
    expect(summary).toStrictEqual({
      sessionId: "session",
      title: "A session",
      cwd: "/project",
      members: ["codex", "claude"],
      messages: 2,
      turns: 1,
      createdTs: START_TS + 1000,
      updatedTs: START_TS + 6000,
      archived: false,
      status: "running",
      seq: 6,
      answering: ["claude"],
    });
    expect(SessionSummary.parse(summary)).toStrictEqual(summary);
  });

  test("a session runs while a turn is open, is interrupted when its newest turn was, and is idle otherwise", () => {
    expect([isRunning(play(...drafts).head), isRunning(play().head)]).toStrictEqual([true, false]);
    const statusAfter = (...more: EventDraft[]) => summaryOf(play(...drafts, ...more)).status;
    expect(summaryOf(play()).status).toBe("idle");
    expect(statusAfter(ended("t1", "claude"))).toBe("idle");
    expect(statusAfter(ended("t1", "claude", { outcome: "interrupted" }))).toBe("interrupted");
    expect(
      statusAfter(ended("t1", "claude", { outcome: "interrupted" }), started("t2", "codex"), ended("t2", "codex")),
    ).toBe("idle");
  });
});
