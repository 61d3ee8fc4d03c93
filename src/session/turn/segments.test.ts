import { expect, test } from "vitest";
import { createFakeClock } from "../../../test/session/fake-clock.ts";
import { EVENT_BYTES_MAX, type EventDraft } from "../../protocol/index.ts";
import { FLUSH_MS } from "./delta-joiner.ts";
import { SEGMENT_BYTES_MAX } from "../limits.ts";
import { Segments } from "./segments.ts";

function open() {
  const clock = createFakeClock();
  const drafts: EventDraft[] = [];
  const segments = new Segments({ turnId: "t", member: "ada" }, clock, (draft) => drafts.push(draft));
  const ids: string[] = [];
  /** Short form of the drafts, with numbered segments. */
  const short = () =>
    drafts.splice(0).map((draft) => {
      if (!("segmentId" in draft)) throw new Error(`not of a segment: ${draft.type}`);
      if (!ids.includes(draft.segmentId)) ids.push(draft.segmentId);
      const text = "text" in draft ? draft.text : "";
      return `${draft.type} ${ids.indexOf(draft.segmentId)} ${text}`.trim();
    });
  return { clock, segments, drafts, short };
}

test("[S17] the first delta of a segment is an event at once, later ones are joined for 33 ms", async () => {
  const { clock, segments, short } = open();
  segments.delta("text", "a");
  segments.delta("text", "b");
  segments.delta("text", "c");
  expect(short()).toEqual(["text_delta 0 a"]);
  await clock.advance(FLUSH_MS - 1);
  expect(short()).toEqual([]);
  await clock.advance(1);
  expect(short()).toEqual(["text_delta 0 bc"]);
  segments.delta("text", "d");
  segments.close();
  expect(short()).toEqual(["text_delta 0 d", "text_done 0 abcd"]);
  expect(clock.timers).toBe(0);
});

test("[S18] text and thinking are separate segments, each closed once with its whole text", () => {
  const { segments, short } = open();
  segments.delta("thinking", "hm");
  segments.delta("text", "so");
  segments.delta("thinking", "wait");
  segments.done("thinking");
  segments.done("text");
  segments.close();
  expect(short()).toEqual([
    "thinking_start 0",
    "thinking_delta 0 hm",
    "thinking_done 0 hm",
    "text_delta 1 so",
    "text_done 1 so",
    "thinking_start 2",
    "thinking_delta 2 wait",
    "thinking_done 2 wait",
  ]);
});

test("[S18] the agent's final text overrides what it streamed, and is not repeated", () => {
  const { segments, short } = open();
  segments.delta("text", "Helo");
  segments.done("text", "Hello");
  segments.done("text", "Hello");
  segments.done("text", "Not streamed");
  segments.done("text", "");
  expect(short()).toEqual([
    "text_delta 0 Helo",
    "text_done 0 Hello",
    "text_delta 1 Not streamed",
    "text_done 1 Not streamed",
  ]);
});

test("[S18] a retraction removes open and closed text, and interrupted text is marked", () => {
  const { segments, drafts, short } = open();
  segments.delta("text", "broken");
  segments.retract("stream lost");
  segments.delta("text", "whole");
  segments.done("text");
  segments.retract();
  segments.retract();
  expect(short()).toEqual([
    "text_delta 0 broken",
    "text_retracted 0",
    "text_delta 1 whole",
    "text_done 1 whole",
    "text_retracted 1",
  ]);
  segments.delta("text", "cut");
  segments.close({ interrupted: true });
  expect(drafts.at(-1)).toEqual({
    type: "text_done",
    turnId: "t",
    member: "ada",
    segmentId: expect.any(String),
    text: "cut",
    interrupted: true,
  });
});

test("[S19] a segment is split before it passes 128 KiB in JSON, so no event passes its limit", () => {
  for (const chunk of ["x", "\u0001", "😀", 'é"\\']) {
    const { segments, drafts } = open();
    const text = chunk.repeat(Math.ceil(700_000 / chunk.length));
    segments.delta("text", text.slice(0, 10));
    segments.delta("text", text.slice(10));
    segments.done("text", text);
    const sizes = drafts.map((draft) => Buffer.byteLength(JSON.stringify(draft)));
    expect(Math.max(...sizes)).toBeLessThan(EVENT_BYTES_MAX);
    const done = drafts.filter((draft) => draft.type === "text_done");
    expect(done.length).toBeGreaterThan(3);
    expect(Math.max(...done.map((draft) => Buffer.byteLength(JSON.stringify(draft.text)) - 2))).toBeLessThanOrEqual(
      SEGMENT_BYTES_MAX,
    );
    expect(done.map((draft) => draft.text).join("") === text).toBe(true);
    const streamed = drafts.filter((draft) => draft.type === "text_delta").map((draft) => draft.text);
    expect(streamed.join("") === text).toBe(true);
    segments.retract();
    expect(drafts.filter((draft) => draft.type === "text_retracted").length).toBe(done.length);
  }
});

test("each retraction removes one more text, newest first, and nothing when none is left", () => {
  const { segments, short } = open();
  segments.done("text", "one");
  segments.done("thinking", "hm");
  segments.done("text", "two");
  short();
  segments.retract();
  segments.retract();
  segments.retract();
  expect(short()).toEqual(["text_retracted 2", "text_retracted 0"]);
});

test("a text or thought interrupted by something else is reported once when its agent repeats it whole", () => {
  const { segments, short } = open();
  segments.delta("thinking", "let me ");
  segments.close();
  segments.done("thinking", "let me see");
  segments.delta("text", "Hello wor");
  segments.close();
  segments.delta("text", "ld");
  segments.done("text", "Hello world!");
  expect(short().filter((line) => /done/.test(line))).toEqual([
    "thinking_done 0 let me",
    "thinking_done 1 see",
    "text_done 2 Hello wor",
    "text_done 3 ld!",
  ]);
  segments.delta("text", "all of it");
  segments.close();
  segments.done("text", "all of it");
  segments.delta("text", "half");
  segments.delta("thinking", "hm");
  segments.done("text", "half and half");
  expect(short().filter((line) => /done/.test(line))).toEqual([
    "text_done 4 all of it",
    "text_done 5 half",
    "thinking_done 6 hm",
    "text_done 7  and half",
  ]);
});

test("an interrupted text that the agent then repeats differently is retracted and replaced", () => {
  const { segments, short } = open();
  segments.delta("text", "Helo ");
  segments.close();
  segments.delta("text", "wor");
  segments.done("text", "Hello world");
  segments.delta("text", "Goodby");
  segments.close();
  segments.done("text", "Farewell");
  segments.delta("thinking", "hm ");
  segments.close();
  segments.delta("thinking", "so");
  segments.done("thinking", "otherwise");
  expect(short().filter((line) => /done|retracted/.test(line))).toEqual([
    "text_done 0 Helo",
    "text_retracted 0",
    "text_done 1 Hello world",
    "text_done 2 Goodby",
    "text_retracted 2",
    "text_done 3 Farewell",
    "thinking_done 4 hm",
    "thinking_done 5 so",
  ]);
});

test("retracting an interrupted text removes all of its parts, and no other text", () => {
  const { segments, short } = open();
  segments.done("text", "stays");
  segments.delta("text", "before ");
  segments.close();
  segments.delta("text", "between ");
  segments.delta("thinking", "hm");
  segments.delta("text", "after");
  short();
  segments.retract();
  expect(short()).toEqual(["text_retracted 1", "text_retracted 2", "text_retracted 4"]);
  segments.delta("text", "ended ");
  segments.close();
  segments.delta("text", "later");
  segments.done("text");
  segments.delta("text", "cut");
  segments.close();
  short();
  for (let times = 0; times < 4; times += 1) segments.retract();
  expect(short()).toEqual(["text_retracted 7", "text_retracted 5", "text_retracted 6", "text_retracted 0"]);
});

test("an agent whose final text covers only the part after an interruption retracts nothing", () => {
  const { segments, short } = open();
  segments.delta("text", "before ");
  segments.close();
  segments.delta("text", "aft");
  segments.done("text", "after");
  expect(short()).toEqual([
    "text_delta 0 before",
    "text_done 0 before",
    "text_delta 1 aft",
    "text_delta 1 er",
    "text_done 1 after",
  ]);
});
