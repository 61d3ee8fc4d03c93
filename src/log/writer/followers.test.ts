import { expect, test } from "vitest";
import type { SessionEvent } from "../../protocol/index.ts";
import { Ring } from "./followers.ts";

function batch(from: number, count: number): SessionEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const seq = from + at;
    return { seq, epoch: 1, id: `e${seq}`, ts: 1, sessionId: "s", type: "ui_status", key: "k", text: "x" };
  });
}

test("the ring holds the newest batch and at most 128 events or 512 KiB of older ones, and never returns a range with a gap", () => {
  const ring = new Ring();
  for (let seq = 1; seq <= 191; seq += 10) ring.push(batch(seq, 10), 1_000);
  expect(ring.after(79)?.[0]?.seq).toBe(undefined);
  expect(ring.after(80)?.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, at) => 81 + at));
  expect(ring.after(195)?.map(({ seq }) => seq)).toEqual([196, 197, 198, 199, 200]);
  expect(ring.after(200)).toBe(undefined);
  ring.push(batch(201, 2), 600 * 1024);
  expect(ring.after(199)).toBe(undefined);
  expect(ring.after(200)?.map(({ seq }) => seq)).toEqual([201, 202]);
});
