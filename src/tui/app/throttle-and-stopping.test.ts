import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { createHandClock } from "../../../test/agents/hand-clock.ts";
import { ended, started } from "../../../test/generate/drafts.ts";
import { stamped } from "../../../test/generate/stamped.ts";
import { sessionLog } from "../../../test/tui/draw-panels.ts";
import { ctrl } from "../../../test/tui/key-bytes.ts";
import { openApp } from "../../../test/tui/open-app.ts";
import { plainTheme } from "../../../test/tui/plain-theme.ts";
import { createFrameThrottle, FRAME_MS } from "./screen/frames.ts";
import { Notes } from "./chrome/notes.ts";
import { Stopping } from "./actions.ts";

test("the first change is drawn at once, all others of the interval in one frame, and the last is never lost", () => {
  const clock = createHandClock();
  let frames = 0;
  const pace = createFrameThrottle(clock, () => (frames += 1));
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

test("what was waited for is drawn at once, and what was to be drawn later is in it", () => {
  const clock = createHandClock();
  let frames = 0;
  const pace = createFrameThrottle(clock, () => (frames += 1));
  pace.change();
  pace.change();
  pace.changeNow();
  expect(frames).toBe(2);
  clock.advance(10 * FRAME_MS);
  expect(frames).toBe(2);
});

test("text that grows every 33 ms is drawn every time, however late a timer comes", () => {
  const clock = createHandClock();
  let frames = 0;
  const pace = createFrameThrottle(clock, () => (frames += 1));
  for (let change = 0; change < 30; change++) {
    pace.change();
    const lateMs = change % 3;
    clock.advance(33 + lateMs - ((change + 2) % 3));
  }
  pace.stop();
  expect(frames).toBe(30);
});

test("Ctrl+C saves the draft, then interrupts, then warns, and quits only when pressed again soon", () => {
  const clock = createHandClock();
  const stopping = new Stopping(clock);
  expect(stopping.ctrlC({ hasDraft: true, turns: ["t1"] })).toBe("put-away-draft");
  expect(stopping.ctrlC({ hasDraft: false, turns: ["t1"] })).toBe("interrupt");
  expect(stopping.ctrlC({ hasDraft: false, turns: ["t1"] })).toBe("quit");
  clock.advance(10_000);
  expect(stopping.ctrlC({ hasDraft: false, turns: [] })).toBe("warn");
  clock.advance(5_000);
  expect(stopping.ctrlC({ hasDraft: false, turns: [] })).toBe("warn");
  expect(stopping.ctrlC({ hasDraft: false, turns: [] })).toBe("quit");
});

test("Ctrl+C asks a turn to stop once, and every turn that began since", () => {
  const clock = createHandClock();
  const stopping = new Stopping(clock);
  const said = (...turns: string[]) => stopping.ctrlC({ hasDraft: false, turns });
  expect([said("t1", "t2"), said("t3"), said("t3", "t4")]).toEqual(["interrupt", "interrupt", "interrupt"]);
  clock.advance(10_000);
  expect([said("t4"), said("t4")]).toEqual(["warn", "quit"]);
  expect([said("t5"), said("t5")]).toEqual(["interrupt", "quit"]);
});

test("each run is interrupted by the first Ctrl+C in it, however soon after the last, also when nothing is seen between two", async () => {
  const shown = await openApp({ events: sessionLog([started("t1", "claude")]) });
  const appendDrafts = async (...drafts: Parameters<typeof stamped>[0]) => {
    shown.peer.play(stamped(drafts, shown.peer.transcript.head.seq));
    await shown.settle();
  };
  shown.type(ctrl("c"));
  await appendDrafts(ended("t1", "claude", { outcome: "interrupted" }));
  await appendDrafts(started("t2", "claude"));
  shown.type(ctrl("c"));
  await appendDrafts(ended("t2", "claude", { outcome: "interrupted" }), started("t3", "claude"));
  shown.type(ctrl("c"));
  await shown.settle();
  expect(shown.peer.commands.map(({ type }) => type)).toEqual(["interrupt", "interrupt", "interrupt"]);
  await shown.close();
});

test("a note goes after a while, trouble stays until something is done, and no more than four are shown", () => {
  const clock = createHandClock();
  let changes = 0;
  const notes = new Notes(clock, () => (changes += 1));
  notes.add("saved\u001b[2J", "ok");
  notes.add("broken", "bad");
  expect(notes.rows(plainTheme, 40)).toEqual([" ✓ saved", " ✗ broken"]);
  clock.advance(60_000);
  expect(notes.rows(plainTheme, 40)).toEqual([" ✗ broken"]);
  expect(changes).toBe(3);
  for (let note = 0; note < 9; note++) notes.add(`note ${note}`);
  expect(notes.rows(plainTheme, 40)).toHaveLength(4);
  notes.add(`a long one ${"of many words ".repeat(9)}`);
  expect(notes.rows(plainTheme, 40, 2).map((row) => stripVTControlCharacters(row))).toEqual([
    expect.stringMatching(/^ a long one of many/),
    expect.stringMatching(/^ .{1,38}…$/),
  ]);
  notes.clear();
  expect(notes.rows(plainTheme, 40)).toEqual([]);
});
