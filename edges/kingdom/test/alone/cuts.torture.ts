/** Every place at which a life with thread files can be cut, and every operation that a disk can refuse it. */
import { expect, test } from "vitest";
import { allCuts, cutAll, refuseAt, wholeLife, type Life } from "./mirror-cuts.ts";

const AT_ONCE = 3;
/** Between lives the number of operations differs a little; beyond the end a life is simply whole. */
const BEYOND = 10;

async function cutEverywhere(life: Life): Promise<string[]> {
  const { operations, halves } = await wholeLife(life);
  const cuts = allCuts({ operations: operations.length + BEYOND, halves: halves + BEYOND });
  console.log(`${life}: ${operations.length} operations, ${halves} of them with a half`);
  return await cutAll(life, cuts, AT_ONCE);
}

async function refuseEverywhere(effect: "EIO" | "ENOSPC", last: number): Promise<readonly string[]> {
  const points = Array.from({ length: last + BEYOND }, (_, index) => index + 1);
  const lives = await refuseAt(effect, points);
  console.log(`${effect}: ${lives.filter(({ hit }) => hit !== undefined).length} operations refused`);
  expect(lives.length).toBe(points.length);
  return lives.flatMap(({ at, hit, wrong }) => wrong.map((one) => `${effect} at ${at} (${hit ?? "none"}): ${one}`));
}

test("killed at any operation on thread files, or half-way through it, nothing is lost, doubled or in the way", async () => {
  expect(await cutEverywhere("mirror")).toEqual([]);
});

test("an import that is killed at any operation, or half-way through it, is finished by the next one", async () => {
  expect(await cutEverywhere("import")).toEqual([]);
});

test("whatever single operation the disk refuses, the session goes on and everything is in its files once", async () => {
  const [whole] = await refuseAt("EIO", [0]);
  expect(whole?.wrong).toEqual([]);
  expect(await refuseEverywhere("EIO", whole?.operations ?? 0)).toEqual([]);
  expect(await refuseEverywhere("ENOSPC", whole?.halves ?? 0)).toEqual([]);
});
