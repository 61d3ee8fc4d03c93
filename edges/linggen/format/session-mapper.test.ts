/** Assumptions of linggen's screens about frames and their order. */
import { describe, expect, test } from "vitest";
import { created, ended, joined, said, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages } from "../../../src/transcript/index.ts";
import { planKey, planStatusOf } from "./plans.ts";
import { runContext } from "./runs.ts";
import { savedMessages } from "./saved-messages.ts";
import { SessionMapper } from "./session-mapper.ts";
import { stamp, type UiDraft, type UiMessage } from "./ui-message.ts";

const turn = { turnId: "t1", member: "ada" };
const roundtable = [created(), joined("ada"), joined("bob")];

function mapped(drafts: readonly EventDraft[], rejectedPlans = new Set<string>()) {
  let ids = 0;
  const mapper = new SessionMapper(empty("session"), { nextStatusId: () => `status-${(ids += 1)}`, rejectedPlans });
  const frames = stamp1(stamped([...roundtable, ...drafts]).flatMap((event) => mapper.map(event)));
  return { mapper, frames, snapshot: () => stamp1(mapper.snapshot(0)) };
}

function stamp1(drafts: readonly UiDraft[]): UiMessage[] {
  return drafts.map((draft, at) => stamp(draft, at + 1));
}

const kinds = (frames: readonly UiMessage[]) =>
  frames.map(({ kind, phase }) => (phase === undefined ? kind : `${kind}/${phase}`));
const dataOf = (frame: UiMessage | undefined) => (frame?.data ?? {}) as Record<string, never>;
const of = (frames: readonly UiMessage[], kind: string, phase?: string) =>
  frames.filter((frame) => frame.kind === kind && frame.phase === phase);

function text(words: string, at: { turnId: string; member: string } = turn, segmentId = "s1"): EventDraft[] {
  return [
    { type: "text_delta", ...at, segmentId, text: words },
    { type: "text_done", ...at, segmentId, text: words },
  ];
}

const plan = (planId: string, needsDecision = false): EventDraft => ({
  type: "plan_update",
  ...turn,
  planId,
  items: [
    { text: "look", status: "completed" },
    { text: "change", status: "pending" },
  ],
  ...(needsDecision ? { needsDecision } : {}),
});
const asksForPlan = (messageId: string) => said(messageId, ["ada"], { origin: "linggen:plan" });
const question: EventDraft = {
  type: "ui_request",
  turnId: "t2",
  member: "bob",
  requestId: "r1",
  request: { method: "confirm", title: "Go on?", message: "Really?" },
  timeoutMs: 1000,
  default: false,
};

test("a finished text is sent once: a member's as a message, a subagent's as a segment", () => {
  const inner = { turnId: "t2", member: "ada" };
  const { frames } = mapped([
    started("t1", "ada"),
    ...text("I look."),
    { type: "subagent_spawned", ...turn, subagentTurnId: "t2", name: "coder", task: "fix it", depth: 1 },
    started("t2", "ada", { depth: 1, parentTurnId: "t1" }),
    ...text("fixed", inner, "s2"),
  ]);
  const whole = frames.filter((frame) => frame.kind === "message" || frame.kind === "text_segment");
  expect(whole.map(({ kind, text: words }) => [kind, words])).toEqual([
    ["message", "I look."],
    ["text_segment", "fixed"],
  ]);
});

test("only members stream: a subagent's text and thinking make no tokens", () => {
  const inner = { turnId: "t2", member: "ada" };
  const { frames } = mapped([
    started("t1", "ada"),
    { type: "subagent_spawned", ...turn, subagentTurnId: "t2", name: "coder", task: "fix it", depth: 1 },
    started("t2", "ada", { depth: 1, parentTurnId: "t1" }),
    { type: "thinking_start", ...inner, segmentId: "s1" },
    { type: "thinking_delta", ...inner, segmentId: "s1", text: "Hm." },
    { type: "thinking_done", ...inner, segmentId: "s1", text: "Hm." },
    ...text("fixed", inner, "s2"),
    ...text("Done.", turn, "s3"),
  ]);
  expect(frames.filter((frame) => frame.kind === "token").map((frame) => frame.text)).toEqual(["Done."]);
});

test("text of a subagent after its result joins no other turn", () => {
  const inner = { turnId: "t2", member: "ada" };
  const { frames } = mapped([
    started("t1", "ada"),
    { type: "subagent_spawned", ...turn, subagentTurnId: "t2", name: "coder", task: "fix it", depth: 1 },
    started("t2", "ada", { depth: 1, parentTurnId: "t1" }),
    { type: "subagent_result", ...turn, subagentTurnId: "t2", outcome: "completed", text: "fixed" },
    ...text("and more", inner, "s2"),
    ended("t2", "ada"),
  ]);
  expect([...of(frames, "message"), ...of(frames, "text_segment")]).toEqual([]);
  expect(of(frames, "turn_complete").map((frame) => frame.agent_id)).toEqual(["coder-t2"]);
});

test("a message to several has no recipient by name, live and in the history, and is queued for each", () => {
  const item = { messageId: "m2", text: "later", to: ["all"], attachments: [], ts: 1 };
  const drafts: EventDraft[] = [said("m1", ["ada", "bob"], { text: "now" }), { type: "queue_updated", items: [item] }];
  const { frames, mapper } = mapped(drafts);
  expect(of(frames, "message").map((frame) => [frame.text, dataOf(frame)["to"]])).toEqual([
    ["now", ""],
    ["later", ""],
  ]);
  const [queue] = of(frames, "queue");
  expect(queue?.text).toBe("Queued 1 message(s)");
  expect(dataOf(queue)["items"]).toMatchObject([
    { id: "m2", agent_id: "ada" },
    { id: "m2", agent_id: "bob" },
  ]);
  const { head } = mapper.transcript;
  const saved = savedMessages([...loadedMessages(mapper.transcript)], head.queue);
  expect(saved.map(({ content, to_id }) => [content, to_id])).toEqual([
    ["later", ""],
    ["now", ""],
  ]);
});

describe("plans", () => {
  test("a plan that was asked for is shown when its turn ends, after the outcome, and waits in the history too", () => {
    const drafts = [asksForPlan("m1"), started("t1", "ada"), plan("p")];
    expect(of(mapped(drafts).frames, "run", "plan_update")).toEqual([]);
    const { frames, mapper } = mapped([...drafts, ended("t1", "ada")]);
    const shown = kinds(frames).filter((kind) => /outcome|plan|turn_complete/.test(kind));
    expect(shown).toEqual(["run/outcome", "run/plan_update", "turn_complete"]);
    expect(dataOf(of(frames, "run", "plan_update")[0])["plan"]).toMatchObject({ status: "planned" });
    const { transcript } = mapper;
    const standing = { planId: "p", ...planStatusOf(transcript) };
    const card = savedMessages([...loadedMessages(transcript)], [], standing).at(-1);
    expect(JSON.parse(card?.content ?? "")).toMatchObject({ type: "plan", plan: { status: "planned" } });
  });

  test("one that its member waits for is shown at once", () => {
    const { frames } = mapped([said("m1", ["ada"]), started("t1", "ada"), plan("p", true)]);
    expect(dataOf(of(frames, "run", "plan_update")[0])["plan"]).toMatchObject({ status: "planned" });
  });

  test("the plan of an earlier message is not what the newest asked for", () => {
    const first = [asksForPlan("m1"), started("t1", "ada"), plan("p"), ended("t1", "ada")];
    const later = { turnId: "t2", member: "ada" };
    const { snapshot, frames } = mapped([
      ...first,
      asksForPlan("m2"),
      started("t2", "ada"),
      ...text("No.", later),
      ended("t2", "ada"),
    ]);
    expect(of(snapshot(), "run", "plan_update")).toEqual([]);
    expect(of(frames, "run", "outcome").map((frame) => dataOf(frame)["outcome"])).toMatchObject([
      { type: "plan" },
      { type: "none" },
    ]);
  });

  test("a rejected plan ends with its remaining items skipped and is not offered again", () => {
    const drafts = [asksForPlan("m1"), started("t1", "ada"), plan("p"), ended("t1", "ada")];
    const { transcript } = mapped(drafts).mapper;
    const { mapper, snapshot } = mapped(drafts, new Set([planKey(transcript)]));
    expect(dataOf(stamp1(mapper.plan(0))[0])["plan"]).toEqual({
      summary: "look",
      items: [
        { title: "look", status: "done" },
        { title: "change", status: "skipped" },
      ],
      status: "completed",
    });
    expect(of(snapshot(), "run", "plan_update")).toEqual([]);
    const decided: EventDraft[] = [
      said("m1", ["ada"]),
      started("t1", "ada"),
      plan("p", true),
      { type: "plan_decision", planId: "p", decision: "reject" },
    ];
    const last = of(mapped(decided).frames, "run", "plan_update").at(-1);
    expect(dataOf(last)["plan"]).toMatchObject({ status: "completed" });
  });
});

test("no outcome is sent while a question is open, because clients would remove the question", () => {
  const { frames } = mapped([
    started("t2", "bob"),
    question,
    started("t1", "ada"),
    ...text("Done."),
    ended("t1", "ada"),
  ]);
  const end = kinds(frames).slice(kinds(frames).lastIndexOf("message"));
  expect(end).toEqual(["message", "run/sync", "turn_complete", "activity/done", "activity/done"]);
});

describe("a late subscriber", () => {
  const open: EventDraft[] = [started("t1", "ada"), { type: "text_delta", ...turn, segmentId: "s1", text: "I wait " }];

  test("gets the text so far as a replacement, not as an addition", () => {
    const { snapshot } = mapped(open);
    expect(snapshot().filter((frame) => frame.kind === "token")).toMatchObject([
      { phase: "done", text: "", data: { thinking: true } },
      { text: "I wait " },
    ]);
  });

  test("learns of a running subagent before anything that it does, and of one only", () => {
    const call = { turnId: "t2", member: "ada", toolCallId: "c1", name: "Read", args: { path: "a.ts" } };
    const { snapshot, frames } = mapped([
      ...open,
      { type: "subagent_spawned", ...turn, subagentTurnId: "t2", name: "coder", task: "fix it", depth: 1 },
      started("t2", "ada", { depth: 1, parentTurnId: "t1" }),
      { type: "tool_call_start", ...call },
    ]);
    const [spawned] = of(frames, "run", "subagent_spawned");
    const again = snapshot();
    const from = again.findIndex((frame) => frame.phase === "subagent_result");
    expect(kinds(again.slice(from))).toEqual([
      "run/subagent_result",
      "run/subagent_spawned",
      "activity/doing",
      "content_block/start",
    ]);
    expect(again[from + 1]?.data).toEqual(spawned?.data);
    expect(again.slice(0, from).map((frame) => frame.agent_id)).toEqual(["ada", "ada", "ada"]);
  });
});

test("a call whose arguments arrive after its start gets its description as soon as it is known, once", () => {
  const call = { ...turn, toolCallId: "c1" };
  const late: readonly EventDraft[] = [
    { type: "tool_call_start", ...call, name: "bash", args: {} },
    { type: "tool_call_update", ...call, args: { command: "npm test" } },
    { type: "tool_call_update", ...call, detail: "half done" },
    { type: "tool_result", ...call, ok: true, result: "fine" },
  ];
  const { frames } = mapped([said("m1", [], { toAll: true }), started("t1", "ada", { messageIds: ["m1"] }), ...late]);
  const calling = frames.filter((frame) => dataOf(frame)["status"] === "calling_tool");
  expect(calling.map(({ phase, text: line }) => `${phase}: ${line}`)).toEqual([
    "doing: Running command...",
    "doing: Running command: npm test",
    "doing: Ran command: npm test",
    "done: Ran command: npm test",
  ]);
  expect(new Set(calling.map((frame) => frame.id)).size).toBe(1);
  expect(of(frames, "content_block", "update")).toMatchObject([{ text: "Ran command: npm test" }]);
});

test("a run's context addresses text as the history does, and has its tools in the shortened form of the page", () => {
  const read = { ...turn, toolCallId: "c1" };
  const ran = { ...turn, toolCallId: "c2" };
  const transcript = fold(
    empty("session"),
    stamped([
      ...roundtable,
      said("m1", [], { toAll: true }),
      started("t1", "ada", { messageIds: ["m1"] }),
      { type: "tool_call_start", ...read, name: "Read", args: { path: "a.ts" } },
      { type: "tool_result", ...read, ok: true, result: "whole file" },
      { type: "tool_call_start", ...ran, name: "Bash", args: { command: "npm test" } },
      { type: "tool_result", ...ran, ok: false, error: { code: "tool_error", message: "exit 1" } },
      ...text("Done."),
      ended("t1", "ada"),
    ]),
  );
  const context = runContext(transcript.head, [...loadedMessages(transcript)], { runId: "t1", isRaw: true });
  expect(context?.messages?.map(({ from_id, to_id, content }) => [from_id, to_id, content])).toEqual([
    ["user", "", "What now?"],
    ["system", "ada", "Tool Read: Read: a.ts\nwhole file"],
    ["system", "ada", "tool_error: tool=Bash npm test error=exit 1"],
    ["ada", "user", "Done."],
  ]);
});

test("an agent's status goes from loading to thinking, a call, working and idle, with one activity for each call", () => {
  const call = { ...turn, toolCallId: "c1" };
  const { frames } = mapped([
    started("t1", "ada"),
    { type: "thinking_start", ...turn, segmentId: "s1" },
    { type: "status", ...turn, state: "calling_tool", detail: "write" },
    { type: "tool_call_start", ...call, name: "write", args: { path: "new.txt" }, kind: "edit" },
    { type: "tool_result", ...call, ok: true },
    { type: "text_delta", ...turn, segmentId: "s2", text: "Do" },
    { type: "text_delta", ...turn, segmentId: "s2", text: "ne." },
    { type: "text_done", ...turn, segmentId: "s2", text: "Done." },
    ended("t1", "ada"),
  ]);
  const activities = new Map(of(frames, "activity", "doing").map((frame) => [frame.id, dataOf(frame)["status"]]));
  expect([...activities.values()]).toEqual(["model_loading", "thinking", "calling_tool", "working"]);
  expect(of(frames, "activity", "done").at(-1)).toMatchObject({ data: { status: "idle" } });
});
