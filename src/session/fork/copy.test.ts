import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { createDisk, MemoryLog } from "../../../test/session/memory-log.ts";
import { reopenOn, startSession, type SessionRun } from "../../../test/session/session-run.ts";
import type { Behaviour } from "../../../test/session/scripted-agent.ts";
import { checkLog } from "../../../test/session/session-checker.ts";
import type { EventDraft, EventOf, SessionEvent } from "../../protocol/index.ts";
import { empty, fold, loadedMessages, resolveMessage, turnText, type Transcript } from "../../transcript/index.ts";
import { copyFork, createCopyClock } from "./copy.ts";

const NOW = 1_800_000_000_000;
/** Two parts with a tool call in between. */
const ANSWER = "I look. \n\nThere it is.";
const SHA = "a".repeat(64);

const working: Behaviour = {
  script: () => [
    { type: "thinking_delta", text: "hm" },
    { type: "text_delta", text: "I look. " },
    { type: "tool_call_start", nativeId: "a", name: "read", args: null },
    { type: "tool_result", nativeId: "a", ok: true, result: "A" },
    { type: "text_delta", text: "There it is." },
    { type: "usage", usage: { inputTokens: 10, outputTokens: 5 } },
  ],
};
const asking: Behaviour = {
  script: () => [
    { type: "text_delta", text: "May I? " },
    { type: "request", callId: "q", request: { method: "confirm", title: "Go?", message: "On?" } },
    { type: "tool_call_start", nativeId: "b", name: "run", args: null },
    { hang: true },
  ],
};

async function talk(): Promise<SessionRun> {
  const state = await startSession({ ada: working, bob: asking });
  await state.send("first", { to: ["ada"] });
  await state.command({ type: "rename", title: "Parsers" });
  await state.command({ type: "set_settings", settings: { auto_rounds: 0, timeout: 77 } });
  const [{ messageId } = { messageId: "" }] = state.events("user_message");
  await state.command({ type: "pin", messageId, pinned: true });
  await state.send("both of you");
  await state.command({ type: "queue_add", text: "later", to: ["bob"], clientMessageId: "q1" });
  return state;
}

async function copyOf(events: readonly SessionEvent[], seq: number, title?: string) {
  const clock = createCopyClock(createFakeClock(NOW));
  const log = new MemoryLog(createDisk(), { now: () => clock.now() });
  const source = new MemoryLog({ ...createDisk(), events: structuredClone([...events]), epoch: 1 });
  const forked = await copyFork({ source, seq, log, clock, title });
  return { events: log.disk.events, disk: log.disk, forked };
}

function transcriptOf(events: readonly SessionEvent[]): Transcript {
  return fold(empty(events[0]?.sessionId ?? ""), events);
}

/** Speakers and texts in order. */
function talkOf(transcript: Transcript): string[] {
  return [...loadedMessages(transcript)].flatMap((one) => {
    const shown = resolveMessage(transcript.head, one);
    if (shown?.kind === "user") return [`you: ${shown.text}`];
    return shown?.kind === "turn" ? [`${shown.member}: ${turnText(shown)}`] : [];
  });
}

test("[L66] a copy up to any event has the conversation so far, nothing open, and opens without warnings", async () => {
  const state = await talk();
  const all = [...state.all()];
  const beginning = all.findIndex((event) => event.type === "member_joined");
  for (let seq = beginning + 1; seq <= all.length; seq += 1) {
    const { events, disk } = await copyOf(all, seq);
    checkLog(events, { settled: true });
    const copy = transcriptOf(events);
    expect({ seq, talk: talkOf(copy) }).toEqual({ seq, talk: talkOf(transcriptOf(all.slice(0, seq))) });
    expect({ ...copy.head, openTurns: Object.keys(copy.head.openTurns) }).toMatchObject({
      openTurns: [],
      requests: [],
      queue: [],
      deliveries: {},
      totals: { turns: 0, inputTokens: 0, outputTokens: 0 },
      spent: { session: { turns: 0, open: 0, tokens: 0 } },
    });
    const count = events.length;
    const reopened = await reopenOn(disk, { ada: working, bob: asking });
    expect({ seq, added: reopened.typesAfter(count) }).toEqual({ seq, added: [] });
  }
});

test("the copy names its origin, keeps times, settings, pins and members, and is the newest session", async () => {
  const state = await talk();
  const all = [...state.all()];
  const seq = all.length;
  const { events, forked } = await copyOf(all, seq);
  const [first] = events as [EventOf<"session_created">];
  expect(first).toMatchObject({
    type: "session_created",
    ts: NOW,
    title: "Parsers",
    cwd: "/project",
    settings: { auto_rounds: 0, timeout: 77 },
    forkedFrom: { sessionId: state.session.sessionId, seq },
  });
  expect(events.at(-1)).toMatchObject({ type: "session_renamed", title: "Parsers (fork)", ts: NOW });
  const { head } = transcriptOf(events);
  const original = state.session.transcript.head;
  expect({ pinned: head.pinned, members: Object.keys(head.members), updatedTs: head.updatedTs }).toEqual({
    pinned: original.pinned,
    members: ["ada", "bob"],
    updatedTs: NOW,
  });
  const pairs = (type: "user_message" | "turn_start", of: readonly SessionEvent[]) =>
    of.flatMap((event) => (event.type === type ? [[event.id, event.ts] as const] : []));
  for (const type of ["user_message", "turn_start"] as const) {
    const copies = events.flatMap((event) => (event.type === type ? [[event.copiedFrom, event.ts]] : []));
    expect(copies).toEqual(pairs(type, all));
  }
  expect(events.filter((event) => event.type === "turn_end").map((event) => event.copied)).toEqual(
    Array.from(pairs("turn_start", all), () => true),
  );
  expect(forked.events).toBe(events.length);
  const named = await copyOf(all, seq, "Another way");
  expect(named.events.at(-1)).toMatchObject({ type: "session_renamed", title: "Another way" });
});

test("a member of the copy starts without a native session: its first turn gets the whole conversation", async () => {
  const state = await talk();
  const { disk } = await copyOf([...state.all()], state.all().length);
  const keeping: Behaviour = { ...working, capabilities: { keepsContext: true } };
  const forked = await reopenOn(disk, { ada: keeping, bob: keeping });
  await forked.send("and now?", { to: ["ada"] });
  const [input] = forked.agents.last("ada").inputs;
  expect(input?.missed?.map(({ text }) => text.trim())).toEqual(["first", ANSWER, "both of you", ANSWER, "May I?"]);
  expect(forked.session.transcript.head.totals).toMatchObject({ turns: 1, inputTokens: 10 });
});

const settings = (state: SessionRun) => state.session.transcript.head.settings;

test("[L69] events about the session's own lifecycle are not copied; references point to the copied events", async () => {
  const state = await startSession({ ada: working });
  const created = state.all()[0] as EventOf<"session_created">;
  const joined = state.events("member_joined")[0] as EventOf<"member_joined">;
  const stamp = { member: "ada", turnId: "t1" };
  const drafts: EventDraft[] = [
    { type: "queue_updated", items: [] },
    { type: "member_session", member: "ada", nativeSessionId: "native" },
    { type: "context_update", member: "ada", used: 5, window: 10, measured: true },
    { type: "user_message", messageId: "m1", text: "one", to: ["ada"], toAll: false, attachments: [] },
    { type: "turn_start", ...stamp, cause: "user", messageIds: ["m1"], depth: 0, given: { fromSeq: 6, toSeq: 6 } },
    {
      type: "ui_request",
      ...stamp,
      requestId: "r",
      timeoutMs: 1,
      default: null,
      request: {
        method: "approval",
        title: "Run",
        tool: "run",
        call: "ls",
        callHash: "h",
        options: [{ label: "Yes", value: "session" }],
        opts: { covers: [{ tool: "run", kind: "command", text: "ls" }], cwd: "/" },
      },
    },
    { type: "ui_response", requestId: "r", result: "session", error: null },
    {
      type: "tool_call_start",
      ...stamp,
      toolCallId: "c",
      name: "run",
      args: null,
    },
    {
      type: "tool_result",
      ...stamp,
      toolCallId: "c",
      ok: true,
      result: "…",
      truncated: { totalBytes: 9, shownBytes: 1, blob: { sha256: SHA, bytes: 9 } },
    },
    { type: "turn_end", ...stamp, outcome: "completed", durationMs: 1 },
    {
      type: "compaction",
      member: "ada",
      summary: "s",
      before: 9,
      after: 1,
      firstKeptSeq: 6,
      pinned: [{ turnId: "t1", seq: 7, whole: true }],
    },
    { type: "compaction_undone", member: "ada", compactionId: "c-13" },
    { type: "session_archived", archived: true },
  ];
  const made = drafts.map((draft, index) => {
    const id = draft.type === "compaction" ? "c-13" : `e-${index + 3}`;
    return Object.assign({ seq: index + 3, epoch: 1, id, ts: 1000 + index, sessionId: created.sessionId }, draft);
  }) as SessionEvent[];
  const { events, forked } = await copyOf([created, joined, ...made], 15);
  expect(events.map(({ type }) => type)).toEqual(
    (
      "session_created member_joined user_message turn_start ui_request ui_response " +
      "tool_call_start tool_result turn_end compaction compaction_undone session_renamed"
    ).split(" "),
  );
  const compaction = events[9] as EventOf<"compaction">;
  expect(events[3]).toMatchObject({ given: { fromSeq: 3, toSeq: 3 }, copiedFrom: "e-7" });
  expect((events[4] as EventOf<"ui_request">).request.opts).toEqual({ cwd: "/" });
  expect(compaction).toMatchObject({ firstKeptSeq: 3, pinned: [{ turnId: "t1", seq: 4, whole: true }] });
  expect(events[10]).toMatchObject({ compactionId: compaction.id });
  expect([...forked.blobs]).toEqual([SHA]);
});

test("after a clear only later events and current members are copied; a mirror is not shared", async () => {
  const state = await startSession({ ada: working }, { settings: { mirror: { thread: "t" } } });
  await state.send("before");
  await state.command({ type: "clear" });
  await state.send("after");
  const { events } = await copyOf([...state.all()], state.all().length);
  expect(talkOf(transcriptOf(events))).toEqual(["you: after", `ada: ${ANSWER}`]);
  const { head } = transcriptOf(events);
  expect({ cleared: head.clearedSeq, joined: Object.keys(head.members), mirror: head.settings?.mirror }).toEqual({
    cleared: 0,
    joined: ["ada"],
    mirror: undefined,
  });
  expect(settings(state)?.mirror).toEqual({ thread: "t" });
});

test("a gap in the original is a warning in the copy; without a readable beginning it is refused", async () => {
  const state = await startSession({ ada: working });
  await state.send("one");
  const all = structuredClone([...state.all()]);
  const hole = { ...(all[3] as SessionEvent), type: "damage", fromSeq: 3, toSeq: 4, offset: 0, bytes: 1, what: "x" };
  const { events } = await copyOf([...all.slice(0, 2), hole as SessionEvent, ...all.slice(4)], all.length);
  expect(events[2]).toMatchObject({
    type: "warning",
    code: "damage",
    message: "Events 3 to 4 of the session this was copied from could not be read and are missing here.",
  });
  const headless = all.slice(1);
  await expect(copyOf(headless, all.length)).rejects.toMatchObject({ code: "unknown_session" });
});
