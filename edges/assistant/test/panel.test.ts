/** Assistant's own chat panels draw a session the same live and after a reload, and never show a false activity. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventDraft, SessionEvent } from "../../../src/protocol/index.ts";
import { empty } from "../../../src/transcript/index.ts";
import * as assistant from "../format/assistant.ts";
import { created, joined } from "../../../test/generate/drafts.ts";
import { sessionLog } from "../../../test/generate/session-log.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import type { ChatEvent, ServerFrame } from "./frame-schemas.ts";
import { Panel } from "./panel.ts";

const RUNS = { numRuns: 40 };
const KINDS = ["response", "passage"] as const;
type Kind = (typeof KINDS)[number];

function live(events: readonly SessionEvent[]): ServerFrame[] {
  let state = assistant.openWire(empty("session"));
  return events.flatMap((event) => {
    const mapped = assistant.mapEvent(state, event, "theirs");
    state = mapped.state;
    return toldOf(mapped.frames);
  });
}

/** These panels do not announce support for interactions. */
function toldOf(frames: readonly assistant.MappedFrame[]): ServerFrame[] {
  const told = frames.filter(({ isInteraction = false }) => !isInteraction);
  return told.map(({ frame }) => JSON.parse(JSON.stringify(frame)) as ServerFrame);
}

function reload(events: readonly SessionEvent[]): ChatEvent[] {
  const replay = assistant.createReplay({ sessionId: "theirs" });
  replay.add(events);
  return JSON.parse(JSON.stringify(replay.finish())) as ChatEvent[];
}

function heard(frames: readonly ServerFrame[], kind: Kind = "passage"): Panel {
  const panel = new Panel(kind);
  for (const frame of frames) panel.hear(frame);
  return panel;
}

function loaded(events: readonly ChatEvent[], kind: Kind = "passage"): Panel {
  const panel = new Panel(kind);
  for (const event of events) panel.draw(event);
  return panel;
}

const openTurns = (events: readonly SessionEvent[]) => {
  let state = assistant.openWire(empty("session"));
  for (const event of events) ({ state } = assistant.mapEvent(state, event, "theirs"));
  return Object.keys(state.transcript.head.openTurns);
};

const turn = { turnId: "t1", member: "ada" };
const tool = { ...turn, toolCallId: "x" };
const begin: EventDraft = { type: "turn_start", ...turn, cause: "user", messageIds: [], depth: 0 };
const call: EventDraft = { type: "tool_call_start", ...tool, name: "bash", args: { command: "ls" } };

function session(drafts: readonly EventDraft[], members = ["ada"]): SessionEvent[] {
  return stamped([created(), ...members.map((name) => joined(name)), ...drafts]);
}

const chatsOf = (events: readonly SessionEvent[]) =>
  live(events).flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));

describe("assistant's chat panels", () => {
  test.each(KINDS)("a panel that keeps thinking by %s draws every session live as after a reload", (kind) => {
    fc.assert(
      fc.property(sessionLog({ steps: 60 }), (events) => {
        const told = live(events);
        const lastClear = told.findLastIndex((frame) => frame.type === "session_cleared");
        expect(heard(told.slice(lastClear + 1), kind).picture).toStrictEqual(loaded(reload(events), kind).picture);
      }),
      RUNS,
    );
  });

  test("a panel shows activity and a stop button while turns are open, and only then", () => {
    fc.assert(
      fc.property(sessionLog({ steps: 60 }), (events) => {
        const panel = new Panel("passage");
        let state = assistant.openWire(empty("session"));
        for (const event of events) {
          const mapped = assistant.mapEvent(state, event, "theirs");
          state = mapped.state;
          for (const frame of toldOf(mapped.frames)) panel.hear(frame);
          if (Object.keys(state.transcript.head.openTurns).length > 0) expect(panel.canStop).toBe(true);
          else if (event.type === "turn_end") expect(panel.canStop).toBe(false);
        }
      }),
      RUNS,
    );
  });

  test("thinking before and after a tool call is drawn once and where it was, by panels of both kinds", () => {
    const events = session([
      begin,
      { type: "thinking_delta", ...turn, segmentId: "a", text: "One" },
      { type: "thinking_delta", ...turn, segmentId: "a", text: "." },
      call,
      { type: "tool_result", ...tool, ok: true, result: "a.ts" },
      { type: "thinking_delta", ...turn, segmentId: "b", text: "Two" },
      { type: "thinking_delta", ...turn, segmentId: "b", text: "." },
      { type: "text_delta", ...turn, segmentId: "c", text: "Done." },
      { type: "turn_end", ...turn, outcome: "completed", durationMs: 5 },
    ]);
    expect(
      reload(events).flatMap(({ type, payload }) => ("text" in payload ? [[type, payload.text]] : [])),
    ).toStrictEqual([
      ["thinking_done", "One."],
      ["thinking_chunk", "\n\nTwo."],
      ["assistant_done", "Done."],
    ]);
    const drawn = (kind: Kind) => heard(live(events), kind).picture;
    const bash = { name: "bash", state: "done", shown: "a.ts" };
    const place = { turnId: "t1", users: [], notes: [], isEnded: true };
    expect(drawn("passage")).toStrictEqual([
      {
        ...place,
        said: [
          ["t1 0", { thinking: "One.", text: "", tools: [bash] }],
          ["t1 1", { thinking: "\n\nTwo.", text: "Done.", tools: [] }],
        ],
      },
    ]);
    expect(drawn("response")).toStrictEqual([
      {
        ...place,
        said: [
          ["whole", { thinking: "One.\n\nTwo.", text: "", tools: [] }],
          ["t1 0", { thinking: "", text: "", tools: [bash] }],
          ["t1 1", { thinking: "", text: "Done.", tools: [] }],
        ],
      },
    ]);
  });

  test("a tool that ended with its turn is drawn as interrupted with its output, or as failed when the turn was not interrupted", () => {
    const stopped = { code: "tool_interrupted", message: "stopped" } as const;
    const drawn = (outcome: "interrupted" | "timed_out" | "errored") => {
      const events = session([
        begin,
        call,
        { type: "tool_output_delta", ...tool, text: "so " },
        { type: "tool_output_delta", ...tool, text: "far" },
        { type: "tool_result", ...tool, ok: false, error: stopped },
        { type: "turn_end", ...turn, outcome, durationMs: 5 },
      ]);
      expect(heard(live(events)).picture).toStrictEqual(loaded(reload(events)).picture);
      const [only] = loaded(reload(events)).picture as [{ said: [[string, { tools: unknown[] }]]; notes: string[] }];
      return [only.said[0][1].tools, only.notes];
    };
    const interrupted = [[{ name: "bash", state: "interrupted", shown: "so far" }], []];
    expect(drawn("interrupted")).toStrictEqual(interrupted);
    expect(drawn("timed_out")).toStrictEqual(interrupted);
    const note = JSON.stringify({ code: "agent_error", message: "The member failed." });
    expect(drawn("errored")).toStrictEqual([[{ name: "bash", state: "failed", shown: "stopped" }], [note]]);
  });

  test("when one of several turns ends, a panel learns that another is running, and draws nothing for it", () => {
    const other = { turnId: "t2", member: "bob" };
    const events = session(
      [
        begin,
        { type: "turn_start", ...other, cause: "user", messageIds: [], depth: 0 },
        { type: "text_delta", ...turn, segmentId: "a", text: "Mine." },
        { type: "turn_end", ...turn, outcome: "completed", durationMs: 5 },
      ],
      ["ada", "bob"],
    );
    const { id: _id, timestamp: _timestamp, ...last } = chatsOf(events).at(-1) ?? {};
    expect(last).toStrictEqual({ sessionId: "theirs", turnId: "t2", type: "assistant_chunk", payload: { text: "" } });
    expect(reload(events).map(({ type }) => type)).not.toContain("assistant_chunk");
    expect([openTurns(events), heard(live(events)).canStop]).toStrictEqual([["t2"], true]);
  });

  test("a message without a recipient is a finished turn, so that no client waits for an answer", () => {
    const lost: EventDraft = {
      type: "user_message",
      messageId: "m1",
      text: "Lost",
      to: ["ada"],
      toAll: true,
      attachments: [],
    };
    const dropped: EventDraft = { type: "message_delivery", messageId: "m1", member: "ada", state: "dropped" };
    const recovered: EventDraft = { type: "recovered", turnIds: [], tornBytes: 0 };
    for (const ending of [dropped, recovered]) {
      const events = session([lost, ending]);
      expect(chatsOf(events).map(({ type, turnId }) => [type, turnId])).toStrictEqual([
        ["turn_start", "m1"],
        ["user_message", "m1"],
        ["turn_end", "m1"],
      ]);
      expect(heard(live(events)).canStop).toBe(false);
    }
  });

  test("a result without text is the streamed output, and a failure has the tool's message", () => {
    const resultOf = (result: Omit<Extract<EventDraft, { type: "tool_result" }>, "type" | keyof typeof tool>) => {
      const events = session([
        begin,
        call,
        { type: "tool_output_delta", ...tool, text: "streamed\n" },
        { type: "tool_result", ...tool, ...result },
      ]);
      return chatsOf(events).find(({ type }) => type === "tool_result")?.payload;
    };
    expect(resultOf({ ok: true })).toStrictEqual({ toolCallId: "x", result: "streamed\n" });
    expect(resultOf({ ok: true, result: "" })).toStrictEqual({ toolCallId: "x", result: "" });
    expect(resultOf({ ok: false })).toMatchObject({ error: { code: "tool_error", message: "streamed" } });
    const error = { code: "tool_error", message: "exit 1" } as const;
    expect(resultOf({ ok: false, error })).toMatchObject({ error: { message: "exit 1\nstreamed" } });
    expect(resultOf({ ok: false, error, result: "exit 1" })).toMatchObject({ error: { message: "exit 1" } });
  });

  test("a line that only names the panel is removed from a message; a longer one stays", () => {
    const panel = '<context panel-id="chat-1" panel-type="chat" panel-title="A &quot;chat&quot;" />';
    expect(assistant.withoutPanelLine(`${panel}\nHello\nthere`)).toBe("Hello\nthere");
    expect(assistant.withoutPanelLine("<context />\nHello")).toBe("Hello");
    expect(assistant.withoutPanelLine(panel)).toBe("");
    for (const kept of [
      '<context type="list" id="l1" panel-id="chat-1" />\nHello',
      '<context panel-id="chat-1" mode="brief" />\nHello',
      `${panel} Hello`,
      "<context >\nHello",
      `Hello\n${panel}\n`,
    ]) {
      expect(assistant.withoutPanelLine(kept)).toBe(kept);
    }
  });
});
