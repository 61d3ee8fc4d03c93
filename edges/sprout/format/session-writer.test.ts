import { expect, test } from "vitest";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages } from "../../../src/transcript/index.ts";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import { createFlow } from "../../../src/host/export/flow.ts";
import { createSproutWriter } from "./session-writer.ts";
import { createSproutSurveyor } from "./survey.ts";

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

interface Line {
  kind: string;
  timestamp: number;
  agent_id: string;
  depth: number;
  data: Record<string, unknown>;
}

function written(drafts: readonly EventDraft[]): { logs: Record<string, Line[]>; meta: unknown } {
  const events = stamped(drafts).map((event) => Object.assign(event, { sessionId: ID }));
  const transcript = fold(empty(ID), events);
  const surveyor = createSproutSurveyor();
  for (const event of events) surveyor.apply(event);
  const writer = createSproutWriter({ head: transcript.head, survey: surveyor.end(), logPath: "/out/root.jsonl" });
  const flow = createFlow();
  const items = [...[...loadedMessages(transcript)].flatMap((message) => flow.push(message)), ...flow.end()];
  const logs: Record<string, Line[]> = {};
  for (const { file, text } of [...items.flatMap((item) => writer.item(item)), ...writer.end()]) {
    logs[file] = [
      ...(logs[file] ?? []),
      ...text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line),
    ];
  }
  return { logs, meta: JSON.parse(writer.meta()) };
}

const root = ({ logs }: ReturnType<typeof written>): Line[] => logs[`${ID}.jsonl`] ?? [];

/** What sprout's replay would put into the history, in short. */
function history(lines: readonly Line[]): string[] {
  let writtenIds: string[] = [];
  for (const { kind, data } of lines) {
    if (kind === "perceive") writtenIds.push(`user ${String(data["goal"])}`);
    if (kind === "steering") writtenIds.push(`user ${String(data["text"])}`);
    if (kind === "plan_end" && data["assistant_message"] !== undefined)
      writtenIds.push(`assistant ${String(data["text"])}`);
    if (kind === "primitive_end" || kind === "act_end") {
      const { tool_call_id: id } = data["tool_result_message"] as { tool_call_id: string };
      writtenIds.push(`result ${id}`);
    }
    if (kind === "compaction") writtenIds = [`user ${String(data["summary"])}`];
  }
  return writtenIds;
}

const talk = (turnId: string, member: string, text: string): EventDraft => ({
  type: "text_done",
  turnId,
  member,
  segmentId: `${turnId}-${text}`,
  text,
});

function exchange(messageId: string, turnId: string, question: string, answer: string): EventDraft[] {
  return [
    said(messageId, ["claude"], { text: question }),
    started(turnId, "claude", { messageIds: [messageId] }),
    talk(turnId, "claude", answer),
    ended(turnId, "claude"),
  ];
}

test("a turn with a tool is a plan, the call with its result, and a plan", () => {
  const usage = { inputTokens: 10, outputTokens: 5 };
  const turn = { turnId: "t1", member: "claude" };
  const all = written([
    created(),
    joined("claude", { spec: { name: "claude", kind: "claude", model: "opus" } }),
    said("m1", ["claude"], { text: "List them" }),
    started("t1", "claude", { messageIds: ["m1"] }),
    { type: "thinking_done", ...turn, segmentId: "s0", text: "Hm." },
    talk("t1", "claude", "I look."),
    { type: "tool_call_start", ...turn, toolCallId: "call", name: "run shell", args: { command: "ls" }, title: "ls" },
    { type: "tool_result", ...turn, toolCallId: "call", ok: true, result: "a.ts", durationMs: 500 },
    talk("t1", "claude", "One file."),
    ended("t1", "claude", { usage, durationMs: 4000 }),
  ]);
  const line = (kind: string, at: number, data: object) => ({
    kind,
    timestamp: START_TS + at,
    agent_id: "root",
    depth: 0,
    data,
  });
  const zero = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  const llm = { model: "opus", provider: "claude" };
  const spent = { input_tokens: 10, output_tokens: 5, cache_read_tokens: 0, cache_write_tokens: 0 };
  const none = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };
  const context = { context_tokens: 0, context_window_size: 0 };
  const names = { name: "run_shell", display_name: "ls" };
  const call = { id: "call", name: "run_shell", arguments: { command: "ls" } };
  expect(root(all)).toStrictEqual([
    line("session_start", 3000, { goal: "List them", session_id: ID, model: "opus" }),
    line("perceive", 3000, { goal: "List them" }),
    line("plan_start", 4000, { turn: 1 }),
    line("llm_start", 4000, { ...llm, turn: 1, message_count: 1 }),
    line("llm_end", 7000, { ...llm, ...none, latency_ms: 0, finish_reason: "tool_calls" }),
    line("plan_end", 7000, {
      turn: 1,
      finish_reason: "tool_calls",
      usage: zero,
      text: "I look.",
      reasoning: "Hm.",
      assistant_message: {
        role: "assistant",
        content: [
          { kind: "text", text: "I look." },
          { kind: "tool_call", tool_call: call },
        ],
      },
      ...context,
    }),
    line("primitive_start", 7000, { ...names, args: { command: "ls" } }),
    line("primitive_end", 7500, {
      ...names,
      success: true,
      stumbled: false,
      output: "a.ts",
      tool_result_message: {
        role: "tool",
        content: [{ kind: "tool_result", tool_result: { tool_call_id: "call", content: "a.ts", is_error: false } }],
        tool_call_id: "call",
      },
    }),
    line("plan_start", 7500, { turn: 2 }),
    line("llm_start", 7500, { ...llm, turn: 2, message_count: 3 }),
    line("llm_end", 10_000, { ...llm, ...spent, latency_ms: 4000, finish_reason: "stop" }),
    line("plan_end", 10_000, {
      turn: 2,
      finish_reason: "stop",
      usage: { ...zero, input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      text: "One file.",
      assistant_message: { role: "assistant", content: [{ kind: "text", text: "One file." }] },
      ...context,
    }),
    line("session_end", 10_000, {
      session_id: ID,
      success: true,
      stumbles: 0,
      turns: 2,
      timed_out: false,
      output: "One file.",
    }),
  ]);
  expect(all.meta).toStrictEqual({
    sessionId: ID,
    agentSpec: "root",
    model: "opus",
    selection: { kind: "inherit" },
    status: "idle",
    turns: 2,
    contextTokens: 0,
    contextWindowSize: 0,
    createdAt: new Date(START_TS + 1000).toISOString(),
    updatedAt: new Date(START_TS + 10_000).toISOString(),
  });
});

const three = [
  created(),
  joined("claude"),
  ...exchange("m1", "t1", "One?", "1"),
  ...exchange("m2", "t2", "Two?", "2"),
  ...exchange("m3", "t3", "Three?", "3"),
];
/** The second message is event 7, the turn that answers it begins with event 8. */
const compaction: EventDraft = {
  type: "compaction",
  member: "claude",
  summary: "They count.",
  before: 900,
  after: 90,
  firstKeptSeq: 7,
};
const kept = [
  "user Summary of the earlier conversation, by claude. All of it is in /out/root.jsonl.\n\nThey count.",
  "user Two?",
  "assistant 2",
  "user Three?",
  "assistant 3",
];

test("a compaction's summary is kept by readers that replace everything before it", () => {
  const all = written([...three, compaction, ...exchange("m4", "t4", "Four?", "4")]);
  expect(history(root(all))).toStrictEqual([...kept, "user Four?", "assistant 4"]);
  const line = root(all).find(({ kind }) => kind === "compaction");
  expect(line?.timestamp).toBe(root(all).find(({ data }) => data["goal"] === "Two?")?.timestamp);
  expect(line?.data).toMatchObject({ beforeCount: 2, afterCount: 1, logPath: "/out/root.jsonl" });
  // A position inside the first kept turn includes the message that the turn answers.
  expect(history(root(written([...three, { ...compaction, firstKeptSeq: 8 }])))).toStrictEqual(kept);
});

test("an undone compaction, or one by the program itself, leaves the history complete", () => {
  const whole = ["user One?", "assistant 1", "user Two?", "assistant 2", "user Three?", "assistant 3"];
  const undone: EventDraft = { type: "compaction_undone", member: "claude", compactionId: "event-15" };
  expect(history(root(written([...three, compaction, undone])))).toStrictEqual(whole);
  expect(history(root(written([...three, { ...compaction, native: true }])))).toStrictEqual(whole);
});

test("a compaction by the program itself is a warning with its summary, between turns and within one", () => {
  const native = { ...compaction, before: 0, after: 0, native: true } as EventDraft;
  const within = { ...native, turnId: "t9" } as EventDraft;
  const turn = exchange("m9", "t9", "Nine?", "9");
  const end = turn.findIndex((one) => one.type === "turn_end");
  for (const drafts of [
    [...three, native],
    [...turn.slice(0, end), within, ...turn.slice(end)],
  ]) {
    const warnings = root(written(drafts)).filter(({ kind }) => kind === "warning");
    expect(warnings.map(({ data }) => data)).toStrictEqual([
      { message: expect.stringMatching(/^claude compacted its own context\.\n\n.*They count\.$/s) },
    ]);
  }
});

test("a pinned turn that outlives a compaction is quoted in its summary", () => {
  const pinned = { ...compaction, firstKeptSeq: 11, pinned: [{ turnId: "t1", seq: 4, whole: true }] } as EventDraft;
  expect(history(root(written([...three, pinned])))[0]).toMatch(/They count\.\n\nPinned, by claude:\n\n1$/);
});

test("a cleared session restarts in the replay", () => {
  const all = written([...three, { type: "session_clear" }, ...exchange("m4", "t4", "Four?", "4")]);
  expect(history(root(all))).toStrictEqual([
    "user The user cleared the conversation here.",
    "user Four?",
    "assistant 4",
  ]);
});

test("a steered message appears once where it arrived, not as a goal", () => {
  const all = written([
    created(),
    joined("claude"),
    said("m1", ["claude"], { text: "Go" }),
    started("t1", "claude", { messageIds: ["m1"] }),
    talk("t1", "claude", "Going."),
    said("m2", ["claude"], { text: "Left!" }),
    { type: "steering", messageId: "m2", member: "claude", turnId: "t1" },
    talk("t1", "claude", "Left."),
    ended("t1", "claude"),
  ]);
  expect(history(root(all))).toStrictEqual(["user Go", "assistant Going.", "user Left!", "assistant Left."]);
  expect(root(all).filter(({ kind }) => kind === "perceive")).toHaveLength(1);
});

test("the step at which a turn was interrupted says so, and keeps its text", () => {
  const cut = [
    ...exchange("m1", "t1", "One?", "half").slice(0, -1),
    { ...ended("t1", "claude"), outcome: "interrupted" } as EventDraft,
  ];
  const steps = root(written([...three.slice(0, 2), ...cut])).filter(({ kind }) => kind === "plan_end");
  expect(steps.map(({ data }) => [data["text"], data["finish_reason"]])).toContainEqual(["half", "interrupted"]);
});

test("a call that was never answered gets an interrupted result, and the session is interrupted", () => {
  const turn = { turnId: "t1", member: "claude" };
  const all = written([
    created(),
    joined("claude"),
    said("m1", ["claude"]),
    started("t1", "claude", { messageIds: ["m1"] }),
    { type: "tool_call_start", ...turn, toolCallId: "call", name: "bash", args: "ls" },
  ]);
  expect(
    root(all)
      .slice(-2)
      .map(({ kind }) => kind),
  ).toStrictEqual(["primitive_end", "interrupted"]);
  expect(root(all).at(-2)?.data).toStrictEqual({
    name: "bash",
    display_name: "bash",
    success: false,
    stumbled: true,
    output: "The call was interrupted before it gave a result.",
    error: "The call was interrupted before it gave a result.",
    tool_result_message: {
      role: "tool",
      content: [
        {
          kind: "tool_result",
          tool_result: {
            tool_call_id: "call",
            content: "The call was interrupted before it gave a result.",
            is_error: true,
          },
        },
      ],
      tool_call_id: "call",
    },
  });
  expect(all.meta).toMatchObject({ status: "interrupted", turns: 1 });
});

test("parallel members are written one after the other, each under its name", () => {
  const all = written([
    created(),
    joined("claude"),
    joined("codex"),
    said("m1", ["claude", "codex"], { toAll: true, text: "Both" }),
    started("t1", "claude", { messageIds: ["m1"] }),
    started("t2", "codex", { messageIds: ["m1"] }),
    { type: "tool_call_start", turnId: "t1", member: "claude", toolCallId: "c1", name: "ls", args: {} },
    talk("t2", "codex", "B"),
    { type: "tool_result", turnId: "t1", member: "claude", toolCallId: "c1", ok: true, result: "x" },
    ended("t2", "codex"),
    talk("t1", "claude", "A"),
    ended("t1", "claude"),
    said("m2", ["codex"], { text: "You" }),
  ]);
  expect(history(root(all))).toStrictEqual([
    "user Both",
    "assistant **claude**",
    "result c1",
    "assistant A",
    "assistant **codex**\n\nB",
    "user @codex You",
  ]);
});

test("a subagent's turn is a delegation in its parent's log and a log of its own below it", () => {
  const all = written([
    created(),
    joined("claude"),
    said("m1", ["claude"]),
    started("t1", "claude", { messageIds: ["m1"] }),
    { type: "tool_call_start", turnId: "t1", member: "claude", toolCallId: "c1", name: "task", args: { what: "Look" } },
    {
      type: "subagent_spawned",
      turnId: "t1",
      member: "claude",
      subagentTurnId: "t2",
      name: "scout",
      task: "Look",
      depth: 1,
      toolCallId: "c1",
    },
    started("t2", "claude", { cause: "subagent", parentTurnId: "t1", toolCallId: "c1", depth: 1 }),
    talk("t2", "claude", "Seen."),
    ended("t2", "claude"),
    {
      type: "subagent_result",
      turnId: "t1",
      member: "claude",
      subagentTurnId: "t2",
      outcome: "completed",
      text: "Seen.",
    },
    { type: "tool_result", turnId: "t1", member: "claude", toolCallId: "c1", ok: true, result: "Seen." },
    talk("t1", "claude", "Done."),
    ended("t1", "claude"),
  ]);
  const kinds = root(all).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind.startsWith("act_"))).toStrictEqual(["act_start", "act_end"]);
  expect(kinds).not.toContain("primitive_start");
  const start = root(all).find(({ kind }) => kind === "act_start");
  const child = String(start?.data["child_id"]);
  expect(start?.data).toStrictEqual({ agent_name: "scout", child_id: child, goal: "Look" });
  expect(child).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  const below = all.logs[`${ID}/subagents/${child}.jsonl`] ?? [];
  expect(history(below)).toStrictEqual(["user Look", "assistant Seen."]);
  expect(below.map(({ agent_id, depth }) => [agent_id, depth])).toStrictEqual(below.map(() => [child, 1]));
  expect(below.at(-1)?.kind).toBe("session_end");
});
