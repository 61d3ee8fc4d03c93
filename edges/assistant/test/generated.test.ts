/** Generated sessions over the wire: every frame is valid, and live, reloaded and late views are equal. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fold, fromSnapshot, toSnapshot } from "../../../src/transcript/index.ts";
import * as assistant from "../format/assistant.ts";
import { sessionLog } from "../../../test/generate/session-log.ts";
import { ofShown, ofTranscript } from "./conversation.ts";
import { foldEvents, foldFrames } from "./fold-chat.ts";
import { ChatEvent, ServerFrame } from "./frame-schemas.ts";
import { rounds } from "../../../test/rounds.ts";

const RUNS = { numRuns: rounds(12, 1_000) };

interface Live {
  readonly frames: ServerFrame[];
  readonly state: assistant.WireState;
}

function live(events: readonly SessionEvent[], from = assistant.openWire(empty("session"))): Live {
  let state = from;
  const frames: ServerFrame[] = [];
  for (const event of events) {
    const mapped = assistant.mapEvent(state, event, "theirs");
    state = mapped.state;
    frames.push(...mapped.frames.map(({ frame }) => JSON.parse(JSON.stringify(frame)) as ServerFrame));
  }
  return { frames, state };
}

/** The complete transcript; the wire itself drops frozen pages. */
const transcriptOf = (events: readonly SessionEvent[]) => fold(empty("session"), events);

function reload(events: readonly SessionEvent[], after?: string): ChatEvent[] {
  const replay = assistant.createReplay({ sessionId: "theirs", after, hasInteractions: true });
  replay.add(events);
  return JSON.parse(JSON.stringify(replay.finish())) as ChatEvent[];
}

const chatsOf = (frames: readonly ServerFrame[]) =>
  frames.flatMap((frame) => (frame.type === "chat_event" ? [frame.event] : []));

const logs = sessionLog({ steps: 60 });

describe("generated sessions", () => {
  test("every frame of every session matches the protocol, and chat event ids are unique", () => {
    fc.assert(
      fc.property(sessionLog({ steps: 60, damage: true }), (events) => {
        const { frames } = live(events);
        for (const frame of frames) expect(ServerFrame.safeParse(frame).error?.message).toBeUndefined();
        for (const event of reload(events)) expect(ChatEvent.safeParse(event).error?.message).toBeUndefined();
        const ids = chatsOf(frames).map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      RUNS,
    );
  });

  test("live frames, a reload and the transcript are the same conversation", () => {
    fc.assert(
      fc.property(logs, (events) => {
        const { frames, state } = live(events);
        const transcript = transcriptOf(events);
        const expected = ofTranscript(transcript, state.pending);
        expect(ofShown(foldFrames(frames), transcript)).toStrictEqual(expected);
        expect(ofShown(foldEvents(reload(events)), transcript)).toStrictEqual(expected);
      }),
      RUNS,
    );
  });

  test("a connection opened mid-session gets the same frames as one that was there from the start", () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, where) => {
        const cut = events.length === 0 ? 0 : where % events.length;
        const transcript = fold(empty("session"), events.slice(0, cut));
        const { pages: _, ...snapshot } = toSnapshot(transcript);
        const opened = fromSnapshot(JSON.parse(JSON.stringify(snapshot)) as typeof snapshot);
        fc.pre(opened !== undefined && opened.frozen.length === 0);
        const whole = live(events).frames;
        const head = live(events.slice(0, cut)).frames;
        const rest = live(events.slice(cut), assistant.openWire(opened ?? transcript)).frames;
        expect(rest).toStrictEqual(whole.slice(head.length));
      }),
      RUNS,
    );
  });

  test("a reload gives the live events in order, and after any of them only the rest", () => {
    fc.assert(
      fc.property(logs, fc.nat(), (events, where) => {
        const { frames, state } = live(events);
        const lastClear = frames.findLastIndex((frame) => frame.type === "session_cleared");
        const told = chatsOf(frames.slice(lastClear + 1));
        const ids = told.map(({ id }) => id);
        const loaded = reload(events).map(({ id }) => id);
        expect(loaded).toStrictEqual(ids.filter((id) => loaded.includes(id)));
        fc.pre(told.length > 0);
        const at = where % told.length;
        const shown = foldEvents(told.slice(0, at + 1));
        const rest = reload(events, told[at]?.id);
        expect(rest.filter(({ id }) => ids.indexOf(id) <= at)).toStrictEqual([]);
        const transcript = transcriptOf(events);
        expect(ofShown(foldEvents(rest, shown), transcript)).toStrictEqual(ofTranscript(transcript, state.pending));
      }),
      RUNS,
    );
  });

  test("every started turn ends once, and all of its events are sent inside it", () => {
    fc.assert(
      fc.property(logs, (events) => {
        const { frames, state } = live(events);
        const open = new Set<string>();
        for (const { type, turnId = "" } of chatsOf(frames)) {
          if (type === "turn_start") {
            expect(open.has(turnId)).toBe(false);
            open.add(turnId);
          } else if (type === "turn_end") expect(open.delete(turnId)).toBe(true);
          else if (type === "assistant_chunk" || type === "tool_call") expect(open.has(turnId)).toBe(true);
        }
        expect([...open].toSorted()).toStrictEqual(Object.keys(state.transcript.head.openTurns).toSorted());
      }),
      RUNS,
    );
  });

  test("every delta is sent twice, as a legacy frame and right after it as a chat event with the same text, and so is every result except that of a tool whose turn was stopped", () => {
    fc.assert(
      fc.property(logs, (events) => {
        const { frames } = live(events);
        for (const [at, frame] of frames.entries()) {
          const next = frames[at + 1];
          const twin = next?.type === "chat_event" ? next.event : undefined;
          if (frame.type === "text_delta") {
            expect(twin).toMatchObject({ type: "assistant_chunk", payload: { text: frame.delta } });
          } else if (frame.type === "thinking_delta") {
            expect(twin).toMatchObject({ type: "thinking_chunk", payload: { text: frame.delta } });
          } else if (frame.type === "tool_call_start") {
            const args: unknown = JSON.parse(frame.arguments);
            expect(twin).toMatchObject({ type: "tool_call", payload: { toolCallId: frame.callId, args } });
          } else if (frame.type === "tool_output_delta") {
            expect(twin).toMatchObject({ type: "tool_output_chunk", payload: { chunk: frame.delta } });
          } else if (frame.type === "tool_result" && frame.error?.code !== "tool_interrupted") {
            expect(twin).toMatchObject({ type: "tool_result", payload: { toolCallId: frame.callId } });
          }
        }
      }),
      RUNS,
    );
  });
});
