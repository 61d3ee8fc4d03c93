import { expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fold } from "../../../src/transcript/index.ts";
import { subagentId } from "./agent-ids.ts";
import { changeReportOf } from "./change-reports.ts";
import { createOutputLines } from "./output-lines.ts";
import { planRequest, toLinggenPlan, writtenText } from "./plans.ts";
import { queuedChats } from "./queue-items.ts";
import { sentAt, savedMessages } from "./saved-messages.ts";
import { createStatusTracker } from "./status-tracker.ts";
import { resolveAgent, targetOf, titleOf } from "./titles.ts";
import { encodeFrame, stamp, type UiDraft } from "./ui-message.ts";
import { workingTree } from "./working-tree.ts";

function told(drafts: readonly UiDraft[]) {
  return drafts.map((draft, at) => {
    const { id, phase, text } = stamp(draft, at + 1);
    return [id, phase, text];
  });
}

test("a new status closes the previous one under its own id; the same one keeps its id", () => {
  let ids = 0;
  const builder = createStatusTracker(() => `status-${(ids += 1)}`);
  const of = { tsMs: 5, agent: "ling", parent: undefined };
  const shown = [
    ...builder.show(of, "thinking"),
    ...builder.show(of, "working", "Waiting"),
    ...builder.show(of, "working"),
    ...builder.show(of, "working"),
    ...builder.idle(of),
  ];
  expect(told(shown)).toEqual([
    ["status-1", "doing", "Thinking..."],
    ["status-1", "done", "Thinking..."],
    ["status-2", "doing", "Waiting"],
    ["status-2", "doing", "Running"],
    ["status-2", "done", "Running"],
    ["act-6", "done", undefined],
  ]);
});

test("each call has a status of its own from its start to its end, and a subagent's is begun once", () => {
  let ids = 0;
  const builder = createStatusTracker(() => `status-${(ids += 1)}`);
  const of = { tsMs: 5, agent: "ling", parent: undefined };
  const shown = [
    ...builder.show(of, "thinking"),
    ...builder.call(of, "a", "Reading file: a"),
    ...builder.call(of, "b", "Running command: b"),
    ...builder.called(of, "a", "Read file: a"),
    ...builder.called(of, "b", "Command failed: b"),
  ];
  expect(told(shown)).toEqual([
    ["status-1", "doing", "Thinking..."],
    ["status-1", "done", "Thinking..."],
    ["status-2", "doing", "Reading file: a"],
    ["status-3", "doing", "Running command: b"],
    ["status-2", "doing", "Read file: a"],
    ["status-2", "done", "Read file: a"],
    ["status-3", "doing", "Command failed: b"],
    ["status-3", "done", "Command failed: b"],
  ]);
  const inner = { tsMs: 5, agent: "coder-1", parent: "ling" };
  expect(told([...builder.call(inner, "c", "Searching: x"), ...builder.called(inner, "c", "Searched: x")])).toEqual([
    ["status-4", "doing", "Searching: x"],
    ["status-4", "done", "Searched: x"],
  ]);
});

test("a loading model is ready at its first call", () => {
  let ids = 0;
  const builder = createStatusTracker(() => `status-${(ids += 1)}`);
  const of = { tsMs: 5, agent: "ling", parent: undefined };
  builder.show(of, "model_loading", "Loading model: m");
  expect(told(builder.call(of, "a", "Reading file: a"))).toEqual([
    ["status-1", "done", "Loading model: m"],
    ["status-2", "doing", "Thinking..."],
    ["status-2", "done", "Thinking..."],
    ["status-3", "doing", "Reading file: a"],
  ]);
  expect(builder.loaded(of)).toEqual([]);
});

test("a frame is one line of ASCII without split characters, and decodes to the same value", () => {
  const frame = stamp({ id: "m", tsMs: 1, kind: "message", text: "né 🎉\u2028\ud83c" }, 1);
  const line = encodeFrame(frame);
  expect(line).toMatch(/^data: [ -~]+\n\n$/);
  expect(JSON.parse(line.slice("data: ".length))).toEqual({ ...frame, text: "né 🎉\u2028\ufffd" });
});

test("two messages of one second with the same text are distinct, and keep their order", () => {
  const user = (at: number, text: string) => ({
    kind: "user" as const,
    messageId: `m${at}`,
    seq: at,
    ts: 5_000 + at,
    text,
    to: ["ling"],
    toAll: false,
    attachments: [],
  });
  const shown = ["yes", "yes", "no"].map((text, at) => user(at, text)) as unknown as Parameters<
    typeof savedMessages
  >[0];
  expect(savedMessages(shown).map(({ content, timestamp }) => [content, timestamp])).toEqual([
    ["yes", 5],
    ["yes", 6],
    ["no", 6],
  ]);
});

test("the terminal client's default agent is the first member where none has that name", () => {
  const meant = (agent: string, agents: string[]) => resolveAgent(agent, agents);
  expect(meant("ling", ["coder", "ling"])).toBe("ling");
  expect(meant("ling", ["coder", "scout"])).toBe("coder");
  expect(meant("nobody", ["coder"])).toBeUndefined();
});

test("a title is the first six words, and `@agent` is read only where there is such an agent", () => {
  expect(titleOf("  one two\nthree four five six seven")).toBe("one two three four five six...");
  expect(titleOf("one two")).toBe("one two");
  expect(titleOf(" ")).toBe("New Chat");
  expect(titleOf("x".repeat(80))).toBe(`${"x".repeat(47)}...`);
  expect(targetOf("@coder fix it", ["ling", "coder"])).toEqual({ agent: "coder", text: "fix it" });
  expect(["@coder", "@nobody fix it", "@coder! fix", "fix @coder it"].map((text) => targetOf(text, ["coder"]))).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
});

test("output is sent line by line, and an unfinished line when the call ends", () => {
  const lines = createOutputLines();
  expect(lines.push("t", "stdout", "one\r\ntw")).toEqual(["one"]);
  expect(lines.push("t", "stderr", "warn\n")).toEqual(["warn"]);
  expect(lines.push("t", "stdout", "o\nthree")).toEqual(["two"]);
  expect(lines.end("t")).toEqual([{ stream: "stdout", line: "three" }]);
  expect(lines.push("t", "stdout", "y".repeat(10_000))).toEqual(["y".repeat(4_096)]);
  expect(lines.push("t", "stdout", "\n".repeat(1_000))).toHaveLength(200);
});

test("a report has at most 20 files and 12,000 characters of a diff, and counts the rest", () => {
  const files = Array.from({ length: 25 }, (_, at) => ({
    path: `f${at}`,
    status: "added" as const,
    diff: "d".repeat(13_000),
  }));
  const { files: shown, truncated_count } = changeReportOf(files, 2);
  expect([shown.length, truncated_count, shown[0]?.diff.length, shown[0]?.summary]).toEqual([
    20,
    7,
    12_000 + "\n… (cut)".length,
    "Added",
  ]);
  expect(changeReportOf([{ path: "a", status: "deleted" }], 0).files).toEqual([
    { path: "a", summary: "Deleted", diff: "(diff unavailable)" },
  ]);
});

test("a queued message has a preview of 100 characters and its time in seconds", () => {
  const item = { messageId: "m", text: "x".repeat(150), to: ["ling"], attachments: [], ts: 5_900 };
  expect(queuedChats({ sessionId: "s", members: {} }, [item])).toEqual([
    { id: "m", agent_id: "ling", session_id: "s", preview: `${"x".repeat(100)}…`, timestamp: 5 },
  ]);
});

test("a queued message has the time at which it was written", () => {
  const writtenTs = 1_469_918_176_385;
  expect(sentAt({ messageId: "01ARYZ6S410000000000000000", ts: writtenTs + 60_000 })).toBe(writtenTs);
  expect(sentAt({ messageId: "imported", ts: 7 })).toBe(7);
});

test("a plan shows what is done, and waits only when it must", () => {
  const items = [
    { text: "look", status: "completed" as const },
    { text: "change", status: "in_progress" as const },
  ];
  expect(toLinggenPlan({ items }, { isPending: true }).status).toBe("planned");
  expect(toLinggenPlan({ items, explanation: "Why" }, { isPending: false })).toEqual({
    summary: "Why",
    items: [
      { title: "look", status: "done" },
      { title: "change", status: "in_progress" },
    ],
    status: "executing",
  });
  expect(toLinggenPlan({ items: items.slice(0, 1) }, { isPending: false }).status).toBe("completed");
  expect([planRequest("/plan", null), planRequest("plan it", null)]).toEqual([undefined, undefined]);
});

test("a plan request shows the user's text, without the instructions added for the member", () => {
  const asked = [planRequest(" /plan  fix it", null), planRequest("fix it", "plan")].map((one) => one ?? { text: "" });
  expect(asked.map((one) => one.text.startsWith("fix it\n\nPlan only: "))).toEqual([true, true]);
  expect(asked.map((one) => writtenText(one))).toEqual(["/plan fix it", "fix it"]);
  expect(writtenText({ text: asked[0]?.text ?? "" })).toBe(asked[0]?.text);
});

test("the tree holds what open turns work on inside the project, and nothing outside of it", () => {
  const files = ["src/a.ts", "/src/app/b.ts", "/etc/passwd", "../c.ts", "x/../../d.ts", "__proto__", "/src/apple/e.ts"];
  const envelope = (seq: number) => ({ seq, epoch: 1, id: `e${seq}`, ts: seq * 1_000, sessionId: "s" });
  const turn = { turnId: "t", member: "ling" };
  const start: SessionEvent = { ...envelope(1), type: "turn_start", ...turn, cause: "user", messageIds: [], depth: 0 };
  const calls = files.map((path, at): SessionEvent => {
    const call = { toolCallId: `c${at}`, name: "Read", args: { path } };
    return Object.assign(envelope(at + 2), { type: "tool_call_start" as const }, turn, call);
  });
  const tree = workingTree("/src/app", [fold(empty("s"), [start, ...calls])]);
  const file = (path: string, at: number) => ({
    type: "file",
    agent: "ling",
    status: "working",
    path,
    last_modified: at,
  });
  const children = Object.assign(Object.create(null) as object, {
    src: { type: "dir", children: { "a.ts": file("src/a.ts", 2) } },
    "b.ts": file("b.ts", 3),
    ["__proto__"]: file("__proto__", 7),
  });
  expect(JSON.parse(JSON.stringify(tree))).toEqual(
    JSON.parse(JSON.stringify({ app: { type: "dir", path: "/src/app", children } })),
  );
});

test("a subagent's id is its name and the end of its turn's", () => {
  expect(subagentId("Code Reviewer!", "01HZZZZZZZZZZZZZZZZZABCDEF")).toBe("code-reviewer-abcdef");
  expect(subagentId("", "01HZZZZZZZZZZZZZZZZZABCDEF")).toBe("subagent-abcdef");
});
