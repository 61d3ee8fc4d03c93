import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { plainTheme } from "../../../test/tui/plain-theme.ts";
import { createFramePace, FRAME_MS, frameMs, SLOW_FRAME_MS } from "./frame-pace.ts";
import { Notes } from "./notes.ts";
import { Stopping } from "./stopping.ts";

test("[U32] the first change is drawn at once, all others of the interval in one frame, and the last is never lost", () => {
  const clock = createHandClock();
  let frames = 0;
  const pace = createFramePace(
    clock,
    () => FRAME_MS,
    () => (frames += 1),
  );
  for (let change = 0; change < 100; change++) pace.change();
  expect(frames).toBe(1);
  clock.advance(FRAME_MS);
  expect(frames).toBe(2);
  clock.advance(FRAME_MS);
  expect(frames).toBe(2);
  pace.change();
  expect(frames).toBe(3);
  pace.change();
  pace.stop();
  clock.advance(1_000);
  expect(frames).toBe(3);
});

test("[U324] what was waited for is drawn at once, and what was to be drawn later is in it", () => {
  const clock = createHandClock();
  let frames = 0;
  const pace = createFramePace(
    clock,
    () => FRAME_MS,
    () => (frames += 1),
  );
  pace.change();
  pace.change();
  pace.changeNow();
  expect(frames).toBe(2);
  clock.advance(10 * FRAME_MS);
  expect(frames).toBe(2);
});

test("[U33] over a remote shell, and while several members speak, there are fewer frames", () => {
  expect([0, 1, 2, 3, 9].map((speaking) => Math.round(frameMs({}, speaking)))).toEqual([33, 33, 58, 83, 83]);
  expect(frameMs({ SSH_CONNECTION: "a b c d" }, 1)).toBe(SLOW_FRAME_MS);
});

test("[U34] Ctrl+C saves the draft, then interrupts, then warns, and quits only when pressed again soon", () => {
  const clock = createHandClock();
  const stopping = new Stopping(clock);
  expect(stopping.ctrlC({ hasDraft: true, isRunning: true })).toBe("put-away-draft");
  expect(stopping.ctrlC({ hasDraft: false, isRunning: true })).toBe("interrupt");
  expect(stopping.ctrlC({ hasDraft: false, isRunning: true })).toBe("quit");
  stopping.settled();
  clock.advance(10_000);
  expect(stopping.ctrlC({ hasDraft: false, isRunning: false })).toBe("warn");
  clock.advance(5_000);
  expect(stopping.ctrlC({ hasDraft: false, isRunning: false })).toBe("warn");
  expect(stopping.ctrlC({ hasDraft: false, isRunning: false })).toBe("quit");
});

test("[U35] a note goes after a while, trouble stays until something is done, and no more than four are shown", () => {
  const clock = createHandClock();
  let changes = 0;
  const notes = new Notes(clock, () => (changes += 1));
  notes.say("saved\u001b[2J", "good");
  notes.say("broken", "bad");
  expect(notes.rows(plainTheme, 40)).toEqual([" ✓ saved", " ✗ broken"]);
  clock.advance(60_000);
  expect(notes.rows(plainTheme, 40)).toEqual([" ✗ broken"]);
  expect(changes).toBe(3);
  for (let note = 0; note < 9; note++) notes.say(`note ${note}`);
  expect(notes.rows(plainTheme, 40)).toHaveLength(4);
  notes.clear();
  expect(notes.rows(plainTheme, 40)).toEqual([]);
});
