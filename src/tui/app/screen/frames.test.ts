import { expect, test } from "vitest";
import { createHandClock } from "../../../../test/agents/hand-clock.ts";
import { ended, started } from "../../../../test/generate/drafts.ts";
import { sessionLog, transcriptOf } from "../../../../test/tui/draw-panels.ts";
import type { EventDraft } from "../../../protocol/index.ts";
import { FRAME_MS, ScreenFrames } from "./frames.ts";

const text = (turnId: string, member: string, words: string): EventDraft => ({
  type: "text_delta",
  turnId,
  member,
  segmentId: "s1",
  text: words,
});

test("the first text of a turn and the end of an empty one are drawn at once, later text with the next frame", () => {
  const clock = createHandClock();
  const log: EventDraft[] = [];
  let picture = transcriptOf(sessionLog(log));
  let frames = 0;
  let atOnce = 0;
  const screen = new ScreenFrames({
    clock,
    transcript: () => picture,
    onPicture: () => {},
    requestRender: () => (frames += 1),
    renderNow: () => (atOnce += 1),
  });
  const framesAfter = (...drafts: EventDraft[]) => {
    log.push(...drafts);
    picture = transcriptOf(sessionLog(log));
    screen.change();
    return frames;
  };
  expect(framesAfter()).toBe(1);
  expect(framesAfter(started("t1", "claude"), started("t2", "codex"), started("t3", "pi"))).toBe(1);
  clock.advance(3 * FRAME_MS);
  expect(frames).toBe(2);
  expect(framesAfter(text("t1", "claude", "One"))).toBe(3);
  expect(framesAfter(text("t1", "claude", " two"))).toBe(3);
  expect(framesAfter(text("t2", "codex", "One"))).toBe(4);
  expect(framesAfter(ended("t3", "pi"))).toBe(5);
  expect(framesAfter(ended("t1", "claude"), text("t2", "codex", " two"))).toBe(5);
  clock.advance(3 * FRAME_MS);
  expect(frames).toBe(6);
  // The first picture, the two first words and the end; every other frame waits for its time.
  expect(atOnce).toBe(4);
  screen.stop();
});

test("without the focus there is a frame a second, and with it again one at once; without motion only seconds tick", () => {
  const clock = createHandClock();
  const picture = transcriptOf(sessionLog([started("t1", "claude"), text("t1", "claude", "One")]));
  let frames = 0;
  let isAway = false;
  let isStill = false;
  const screen = new ScreenFrames({
    clock,
    transcript: () => picture,
    onPicture: () => {},
    requestRender: () => (frames += 1),
    renderNow: () => {},
    isAway: () => isAway,
    isStill: () => isStill,
  });
  const framesIn = (ms: number) => {
    const before = frames;
    for (let passed = 0; passed < ms; passed += 10) clock.advance(10);
    return frames - before;
  };
  screen.change();
  expect(framesIn(1_000)).toBe(10);
  isStill = true;
  expect(framesIn(4_000)).toBeLessThanOrEqual(5);
  isStill = false;
  framesIn(1_000);
  isAway = true;
  framesIn(1_000);
  for (let chunk = 0; chunk < 20; chunk += 1) screen.change();
  expect(framesIn(5_000)).toBe(5);
  isAway = false;
  const before = frames;
  screen.wake();
  expect(frames - before).toBe(1);
  screen.stop();
});
