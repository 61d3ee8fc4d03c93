import { expect, test } from "vitest";
import { createFakeClock, settle } from "../../test/session/fake-clock.ts";
import { BEAT_MS } from "../kit/beat.ts";
import { createDeltaJoiner } from "./delta-joiner.ts";

function open() {
  const clock = createFakeClock();
  const emitted: string[] = [];
  const joiner = createDeltaJoiner(clock, (text) => emitted.push(text));
  return { clock, emitted, joiner };
}

test("[A561] pieces that come in one step of the program after a pause become one event, at once", async () => {
  const { clock, emitted, joiner } = open();
  joiner.add("a");
  expect(emitted).toEqual(["a"]);
  await clock.advance(BEAT_MS);
  joiner.add("b");
  joiner.add("c");
  joiner.add("d");
  await settle();
  expect(emitted).toEqual(["a", "bcd"]);
  expect(clock.timers).toBe(0);
});

test("[A561] a stream of pieces is at most one event a beat, in order and whole", async () => {
  const { clock, emitted, joiner } = open();
  const pieces = Array.from({ length: 200 }, (_, at) => `${at} `);
  for (const piece of pieces) {
    joiner.add(piece);
    await clock.advance(3);
  }
  joiner.flush();
  expect(emitted.join("")).toBe(pieces.join(""));
  expect(emitted.length).toBeLessThanOrEqual((pieces.length * 3) / BEAT_MS + 2);
});

test("[A561] what is flushed is not said again, and nothing comes after a drop", async () => {
  const { clock, emitted, joiner } = open();
  joiner.add("a");
  await clock.advance(BEAT_MS);
  joiner.add("b");
  joiner.flush();
  joiner.add("c");
  joiner.drop();
  await clock.advance(BEAT_MS);
  joiner.add("d");
  joiner.drop();
  await clock.advance(BEAT_MS);
  expect(emitted).toEqual(["a", "b"]);
});
