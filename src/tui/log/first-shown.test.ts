import { expect, test } from "vitest";
import { LogScene, longTranscript, withoutPages } from "../../../test/tui/log-scene.ts";
import { findFirstShown, nothingCleared } from "./log-content.ts";

test("the shown part begins after the last clear, also when that must be fetched first", () => {
  const scene = new LogScene();
  scene.transcript = longTranscript(300, (position) => `text ${position}`);
  expect(findFirstShown(nothingCleared, scene.transcript)).toEqual(nothingCleared);
  scene.transcript = { ...scene.transcript, head: { ...scene.transcript.head, seq: 1_000 } };
  scene.clear();
  for (let made = 0; made < 300; made += 1) scene.user(`after ${made}`);
  const whole = findFirstShown(nothingCleared, scene.transcript);
  expect(whole).toEqual({ clearedSeq: 1_001, position: 301, isResolved: true, fromPage: 2 });
  const absent = findFirstShown(
    nothingCleared,
    withoutPages(scene.transcript, (page) => page > 3),
  );
  expect(absent).toEqual({ clearedSeq: 1_001, position: 0, isResolved: false, fromPage: 4 });
  expect(
    findFirstShown(
      absent,
      withoutPages(scene.transcript, (page) => page > 1),
    ),
  ).toEqual(whole);
  scene.clear();
  expect(findFirstShown(whole, scene.transcript).position).toBe(602);
});
