import { expect, test } from "vitest";
import { OffsetIndex } from "./offset-index.ts";

test("the index keeps one record in 256 and finds the nearest at or before a seq", () => {
  const index = new OffsetIndex();
  for (let seq = 1; seq <= 1000; seq++) index.note(seq, seq * 10);
  expect(index.entries()).toEqual([1, 10, 257, 2570, 513, 5130, 769, 7690]);
  const found = [0, 1, 256, 257, 600, 5000].map((seq) => index.find(seq).offset);
  expect(found).toEqual([0, 10, 10, 2570, 5130, 7690]);
  const copy = new OffsetIndex();
  copy.load(index.entries());
  expect(copy.find(600)).toEqual({ offset: 5130, seq: 512, epoch: 0 });
  copy.clear();
  expect(copy.find(600)).toEqual({ offset: 0, seq: 0, epoch: 0 });
});
