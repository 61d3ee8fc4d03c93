import { describe, expect, test } from "vitest";
import { created, ended, joined, said as message, started } from "../../../test/generate/drafts.ts";
import { stamped, START_TS } from "../../../test/generate/stamped.ts";
import type { EventDraft } from "../../../src/protocol/index.ts";
import { empty } from "../../../src/transcript/index.ts";
import { mapEvent, openWire } from "./map-event.ts";
import type { MappedFrame } from "./frame-writer.ts";

const turn = { turnId: "t1", member: "ada" };

/** Maps the drafts after opening a session with these members. */
function frames(drafts: readonly EventDraft[], members = ["ada"]): MappedFrame[] {
  const opening = [created(), ...members.map((name) => joined(name))];
  let state = openWire(empty("session"));
  const told: MappedFrame[] = [];
  for (const event of stamped([...opening, ...drafts])) {
    const mapped = mapEvent(state, event, "theirs");
    state = mapped.state;
    told.push(...mapped.frames);
  }
  return told;
}

/** Turns and positions of user messages. A connection that starts at any event has the same. */
function shown(drafts: readonly EventDraft[]): unknown[] {
  let state = openWire(empty("session"));
  return stamped([created(), joined("ada"), ...drafts]).flatMap((event) => {
    const mapped = mapEvent(state, event, "theirs");
    state = mapped.state;
    expect(openWire(state.transcript).pending).toStrictEqual(state.pending);
    return mapped.frames.flatMap(({ frame }) => {
      if (frame.type !== "chat_event") return [];
      if (frame.event.type === "user_message") return [[frame.event.turnId, frame.event.payload.text]];
      return frame.event.type === "turn_start" && event.type === "turn_start" ? [[frame.event.turnId]] : [];
    });
  });
}

const hello: EventDraft = {
  type: "user_message",
  messageId: "m1",
  text: "Hello",
  to: ["ada"],
  toAll: true,
  attachments: [],
  clientMessageId: "c1",
};
const begin: EventDraft = { type: "turn_start", ...turn, cause: "user", messageIds: ["m1"], depth: 0 };

function chats(mapped: readonly MappedFrame[]): unknown[] {
  return mapped.flatMap(({ frame }) => (frame.type === "chat_event" ? [[frame.event.type, frame.event.payload]] : []));
}

describe("mapping", () => {
  test("a message is shown in the turn that answers it, with ids derived from events", () => {
    const entry = { timestamp: START_TS + 4_000, sessionId: "theirs", turnId: "t1" };
    expect(frames([hello, begin])).toStrictEqual([
      {
        frame: {
          type: "session_updated",
          sessionId: "theirs",
          updatedAt: "2023-11-14T22:13:24.000Z",
        },
      },
      { frame: { type: "user_message", sessionId: "theirs", text: "Hello" }, echoOf: "c1" },
      {
        frame: {
          type: "chat_event",
          sessionId: "theirs",
          event: {
            id: "568d4a99-9b86-8366-9592-f7de11305188",
            ...entry,
            type: "turn_start",
            payload: { trigger: "user" },
          },
        },
      },
      {
        frame: {
          type: "chat_event",
          sessionId: "theirs",
          event: {
            id: "19e67187-3912-8ab6-821f-5c638f3c6958",
            ...entry,
            type: "user_message",
            payload: { text: "Hello" },
          },
        },
      },
    ]);
  });

  test("text without a tool call in between is one segment; retracted text is replaced by the rest", () => {
    const said = frames([
      hello,
      begin,
      { type: "text_delta", ...turn, segmentId: "a", text: "One." },
      { type: "text_done", ...turn, segmentId: "a", text: "One." },
      { type: "text_delta", ...turn, segmentId: "b", text: "Tw" },
      { type: "text_retracted", ...turn, segmentId: "b" },
      { type: "text_done", ...turn, segmentId: "c", text: "Three." },
      { type: "turn_end", ...turn, outcome: "completed", durationMs: 5 },
    ]);
    expect(chats(said).slice(2)).toStrictEqual([
      ["assistant_chunk", { text: "One." }],
      ["assistant_chunk", { text: "\n\nTw" }],
      ["assistant_done", { text: "One." }],
      ["assistant_chunk", { text: "" }],
      ["assistant_chunk", { text: "\n\nThree." }],
      ["assistant_done", { text: "One.\n\nThree." }],
      ["turn_end", {}],
    ]);
  });

  test("offsets of tool output include the current chunk, and late arguments are sent", () => {
    const tool = { ...turn, toolCallId: "x" };
    const said = frames([
      hello,
      begin,
      { type: "tool_call_start", ...tool, name: "bash", args: null },
      { type: "tool_call_update", ...tool, args: { command: "ls" } },
      { type: "tool_output_delta", ...tool, text: "abc" },
      { type: "tool_output_delta", ...tool, text: "de", stream: "stderr" },
      { type: "tool_result", ...tool, ok: true, result: "abcde", truncated: { totalBytes: 9, shownBytes: 5 } },
    ]);
    const named = { toolCallId: "x", toolName: "bash" };
    expect(chats(said).slice(2)).toStrictEqual([
      ["tool_call", { ...named, args: { value: null } }],
      ["tool_call", { ...named, args: { command: "ls" } }],
      ["tool_output_chunk", { ...named, chunk: "abc", offset: 3, stream: "output" }],
      ["tool_output_chunk", { ...named, chunk: "de", offset: 5, stream: "stderr" }],
      ["tool_result", { toolCallId: "x", result: "abcde" }],
    ]);
    expect(said.findLast(({ frame }) => frame.type === "tool_result")?.frame).toStrictEqual({
      type: "tool_result",
      callId: "x",
      toolName: "bash",
      sessionId: "theirs",
      ok: true,
      result: "abcde",
      truncated: true,
      truncatedBy: "bytes",
      totalBytes: 9,
      outputBytes: 5,
    });
  });

  test("the queue is sent as items added, removed, moved or edited", () => {
    const item = (messageId: string, text = messageId) => ({ messageId, text, to: ["ada"], attachments: [], ts: 0 });
    const queue = (...items: ReturnType<typeof item>[]): EventDraft => ({ type: "queue_updated", items });
    const told = frames([
      queue(item("a"), item("b")),
      queue(item("b", "changed")),
      queue(item("b", "changed"), item("c")),
      queue(item("c"), item("b", "changed")),
    ]).map(({ frame }) =>
      frame.type === "message_queued" ? [frame.messageId, frame.text, frame.position] : [frame.type],
    );
    expect(told).toStrictEqual([
      ["a", "a", 1],
      ["b", "b", 2],
      ["message_dequeued"],
      ["b", "changed", 1],
      ["c", "c", 2],
      ["c", "c", 1],
      ["b", "changed", 2],
    ]);
  });

  test("a steered message is shown in its turn; one that no member read is shown by itself", () => {
    const steered = { ...hello, messageId: "m2", text: "Wait" } as EventDraft;
    const lost = { ...hello, messageId: "m3", text: "Lost" } as EventDraft;
    const said = frames([
      hello,
      begin,
      steered,
      { type: "message_delivery", messageId: "m2", member: "ada", state: "pending", reason: "steering" },
      { type: "steering", messageId: "m2", ...turn },
      { type: "turn_end", ...turn, outcome: "interrupted", reason: "restart", durationMs: 5 },
      lost,
      { type: "recovered", turnIds: [], tornBytes: 0 },
    ]);
    const users = said.flatMap(({ frame }) =>
      frame.type === "chat_event" && frame.event.type === "user_message"
        ? [[frame.event.turnId, frame.event.payload.text]]
        : [],
    );
    expect(users).toStrictEqual([
      ["t1", "Hello"],
      ["t1", "Wait"],
      ["m3", "Lost"],
    ]);
    expect(chats(said)).toContainEqual(["interrupt", { reason: "error" }]);
  });

  test("imported messages are shown in their position, or in the imported turn they were steered into", () => {
    const elsewhere = (messageId: string, origin: string, to: string[] = []) =>
      message(messageId, to, { text: messageId, origin });
    const known = (messageId: string): EventDraft => {
      return { type: "message_delivery", messageId, member: "ada", state: "answered" };
    };
    const steered = (messageId: string, turnId = "t1"): EventDraft => {
      return { type: "steering", messageId, member: "ada", turnId };
    };
    const opens = (turnId: string, origin: string) => started(turnId, "ada", { cause: "imported", origin });
    const places = shown([
      elsewhere("m1", "claude:s"),
      known("m1"),
      opens("t1", "claude:s"),
      elsewhere("into", "claude:s"),
      known("into"),
      steered("into"),
      elsewhere("other", "claude:s from bob"),
      steered("other"),
      elsewhere("cut", "claude:s"),
      ended("t1", "ada"),
      // Sent again, with what is shown already.
      opens("t2", "claude:s"),
      steered("into", "t2"),
      ended("t2", "ada"),
      elsewhere("k1", "kd:talk/0001-king.md"),
      opens("t3", "kd:talk/.ada.stream"),
      elsewhere("k2", "kd:talk/0002-king.md", ["ada"]),
      ended("t3", "ada"),
      // Imported from such files, with a recipient here.
      { ...elsewhere("k3", "kd:talk/0003-king.md", ["ada"]), clientMessageId: "c3" },
      started("t4", "ada", { messageIds: ["k3"] }),
      ended("t4", "ada"),
      { type: "session_resume", afterSeq: 3 },
    ]);
    expect(places).toStrictEqual([
      ["m1", "m1"],
      ["t1"],
      ["t1", "into"],
      ["t1", "other"],
      ["cut", "cut"],
      ["t2"],
      ["k1", "k1"],
      ["t3"],
      ["k2", "k2"],
      ["t4"],
      ["t4", "k3"],
    ]);
  });

  test("the name of a session is sent when it changes, and only then", () => {
    const told = frames([
      hello,
      begin,
      { type: "model_switched", member: "ada", model: "large" },
      { type: "session_renamed", title: "Another" },
      { type: "turn_end", ...turn, outcome: "completed", durationMs: 5 },
    ]);
    const names = told.flatMap(({ frame }) => (frame.type === "session_updated" ? [frame.name] : []));
    expect(names).toStrictEqual([undefined, undefined, "Another", undefined]);
  });

  test("a late answer is sent as agent_callback_result with the turn that gave it", () => {
    const other = { turnId: "t2", member: "bob" };
    const said = frames(
      [
        hello,
        begin,
        { type: "agent_message", ...turn, agentExchangeId: "e1", to: "bob", text: "Why?", wait: false },
        { type: "turn_start", ...other, cause: "exchange", messageIds: [], depth: 1, agentExchangeId: "e1" },
        { type: "turn_end", ...other, outcome: "completed", durationMs: 1 },
        { type: "agent_callback_result", agentExchangeId: "e1", member: "bob", ok: true, text: "Because." },
      ],
      ["ada", "bob"],
    );
    expect(said.slice(-2).map(({ frame }) => frame)).toMatchObject([
      { type: "agent_callback_result", sessionId: "theirs", responseId: "t2", result: "Because." },
      {
        type: "chat_event",
        event: { type: "agent_callback", turnId: "t1", payload: { messageId: "e1", fromAgentId: "bob" } },
      },
    ]);
  });
});
