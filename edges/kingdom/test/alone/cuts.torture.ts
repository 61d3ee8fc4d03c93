/** Every point at which a mirrored session can be killed, and every operation that can fail. */
import { expect, test } from "vitest";
import { allCuts, cutAll, refuseAt, wholeLife, type Life } from "./mirror-cuts.ts";

const AT_ONCE = 3;
/** The number of operations varies a little between runs; beyond the end nothing is interrupted. */
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

test("killed before or during any operation on thread files, nothing is lost, duplicated or left behind", async () => {
  expect(await cutEverywhere("mirror")).toEqual([]);
});

test("an import killed before or during any operation is completed by the next one", async () => {
  expect(await cutEverywhere("import")).toEqual([]);
});

test("whichever single disk operation fails, the session continues and everything is mirrored once", async () => {
  const [whole] = await refuseAt("EIO", [0]);
  expect(whole?.wrong).toEqual([]);
  expect(await refuseEverywhere("EIO", whole?.operations ?? 0)).toEqual([]);
  expect(await refuseEverywhere("ENOSPC", whole?.halves ?? 0)).toEqual([]);
});
