/** Generated sessions as frames: each matches the protocol, and together they are the conversation. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../../../src/protocol/index.ts";
import { empty, fold, loadedMessages } from "../../../src/transcript/index.ts";
import * as linggen from "../format/linggen.ts";
import { sampleLog, sessionLog } from "../../../test/generate/session-log.ts";
import { foldFrames } from "./fold-frames.ts";
import { kindOf, problemWith, RunContext, Runs, type Frame } from "./frame-schemas.ts";
import { rounds } from "../../../test/rounds.ts";

function framesOf(events: readonly SessionEvent[], startAt = 0): Frame[] {
  let statuses = 0;
  let seq = 0;
  const start = fold(empty("session"), events.slice(0, startAt));
  const mapper = new linggen.SessionMapper(start, { nextStatusId: () => `status-${(statuses += 1)}` });
  const drafts = [...mapper.snapshot(0), ...events.slice(startAt).flatMap((event) => mapper.map(event))];
  const texts = drafts.map((draft) => linggen.encodeFrame(linggen.stamp(draft, (seq += 1))));
  expect(texts.filter((text) => !/^data: \{.*\}\n\n$/.test(text))).toEqual([]);
  return texts.map((text) => JSON.parse(text.slice("data: ".length)) as Frame);
}

const log = sessionLog({ steps: 60, damage: true });

test("every frame of any session is one of the protocol's, with every field it must have and none more", () => {
  fc.assert(
    fc.property(log, (events) => {
      expect(framesOf(events).flatMap((frame) => problemWith(frame) ?? [])).toEqual([]);
    }),
    { numRuns: rounds(10, 2_000) },
  );
});

test("seq begins at 1 and grows by one, and the same events give the same frames", () => {
  fc.assert(
    fc.property(log, (events) => {
      const frames = framesOf(events);
      expect(frames.map((frame) => frame.seq)).toEqual(frames.map((_, at) => at + 1));
      expect(framesOf(events)).toEqual(frames);
    }),
    { numRuns: rounds(8, 1_000) },
  );
});

test("a client that joins mid-session gets complete frames and sees which members are working", () => {
  fc.assert(
    fc.property(log, fc.nat(), (events, where) => {
      const at = events.length === 0 ? 0 : where % events.length;
      const late = framesOf(events, at);
      expect(late.flatMap((frame) => problemWith(frame) ?? [])).toEqual([]);
      const { head } = fold(empty("session"), events.slice(0, at));
      const open = Object.values(head.openTurns).filter((turn) => turn.depth === 0);
      const { statuses } = foldFrames(framesOf(events.slice(0, at), at));
      expect(open.filter(({ member }) => (statuses[member] ?? "idle") === "idle")).toEqual([]);
    }),
    { numRuns: rounds(8, 2_000) },
  );
});

/** Without damaged and unknown events, for which the transcript itself has gaps. */
const whole = sessionLog({ steps: 60 });

test("messages in the frames equal the history and the transcript", () => {
  fc.assert(
    fc.property(whole, (events) => {
      const transcript = fold(empty("session"), events);
      const shown = [...loadedMessages(transcript)];
      const saved = linggen.savedMessages(shown, transcript.head.queue);
      const history = saved
        .filter(({ content }) => !content.startsWith('{"type":"'))
        .map(({ from_id, to_id, content }) => `${from_id} > ${to_id}: ${content}`);
      const live = foldFrames(framesOf(events)).messages;
      // A retry replaces its turn, and a queued message may be withdrawn: the live view keeps both.
      const missing = history.filter((one) => !live.includes(one));
      expect(missing).toEqual([]);
      const speech = shown.flatMap((one) =>
        one.kind === "turn" && one.depth === 0
          ? one.blocks.flatMap((block) =>
              block.kind === "text" && block.text.trim() !== "" && (block.done || one.end !== undefined)
                ? [block.text]
                : [],
            )
          : [],
      );
      expect(saved.map((one) => one.content)).toEqual(expect.arrayContaining(speech));
    }),
    { numRuns: rounds(8, 2_000) },
  );
});

test("every block of a turn is closed with the turn, and its member is idle", () => {
  fc.assert(
    fc.property(whole, (events) => {
      const { head } = fold(empty("session"), events);
      const folded = foldFrames(framesOf(events));
      const open = new Set(
        Object.values(head.openTurns).flatMap((turn) =>
          turn.blocks.flatMap((block) =>
            block.kind === "tool" && block.state === "pending" ? [block.toolCallId] : [],
          ),
        ),
      );
      const running = Object.entries(folded.tools).flatMap(([id, state]) => (state === "running" ? [id] : []));
      expect(running.filter((id) => !open.has(id))).toEqual([]);
      const busy = new Set(Object.values(head.openTurns).map((turn) => turn.member));
      const spinning = Object.keys(head.members).filter((name) => (folded.statuses[name] ?? "idle") !== "idle");
      expect(spinning.filter((name) => !busy.has(name))).toEqual([]);
    }),
    { numRuns: rounds(8, 2_000) },
  );
});

test("runs and their contexts follow the protocol", () => {
  fc.assert(
    fc.property(log, (events) => {
      const transcript = fold(empty("session"), events);
      const shown = [...loadedMessages(transcript)];
      const runs = linggen.runsOf(transcript.head, shown);
      expect(Runs.safeParse(runs).error).toBeUndefined();
      for (const { run_id: runId } of runs) {
        const context = linggen.runContext(transcript.head, shown, { runId, isRaw: true });
        expect(RunContext.safeParse(context).error).toBeUndefined();
      }
    }),
    { numRuns: rounds(8, 1_000) },
  );
});

test("some hundred sessions have frames of nearly every kind", () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 60; seed += 1) {
    for (const frame of framesOf(sampleLog(seed, { steps: 80 }))) kinds.add(kindOf(frame));
  }
  const expected = [
    "activity/doing",
    "activity/done",
    "ask_user",
    "content_block/start",
    "content_block/update",
    "message",
    "queue",
    "run/outcome",
    "run/sync",
    "text_segment",
    "token",
    "token/done",
    "turn_complete",
  ];
  expect([...kinds]).toEqual(expect.arrayContaining(expected));
});
