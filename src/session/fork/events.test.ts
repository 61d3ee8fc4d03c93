import { expect, test } from "vitest";
import { SeqMap } from "./events.ts";

test("a position in a session maps to its fork, also where the event itself was left out", () => {
  const seqs = new SeqMap();
  // 1, 2, 5 and 6 are left out; the copy starts with an event of its own.
  for (const [seq, copy] of [
    [3, 2],
    [4, 3],
    [7, 4],
    [8, 5],
  ] as const) {
    seqs.note(seq, copy);
  }
  const asked = [0, 1, 3, 4, 5, 6, 7, 8, 9];
  expect(asked.map((seq) => seqs.firstFrom(seq))).toEqual([0, 2, 2, 3, 4, 4, 4, 5, 6]);
  expect(asked.map((seq) => seqs.lastUpTo(seq))).toEqual([0, 0, 2, 3, 3, 3, 4, 5, 5]);
});
