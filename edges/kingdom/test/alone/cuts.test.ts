/** A sample of the points at which a mirrored session can be killed; the torture test takes all of them. */
import { expect, test } from "vitest";
import { createRandom } from "../../../../test/session/random.ts";
import { cutAll, refuseAt, type Cut } from "./mirror-cuts.ts";

const AT_ONCE = 2;
/** About as many operations as there are; beyond the end nothing is interrupted. */
const MIRROR = { operations: 210, halves: 85 };
const IMPORT = { operations: 45, halves: 13 };
const REFUSABLE = { operations: 490, halves: 45 };

const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const random = createRandom(seed);
const some = (below: number, count: number) => Array.from({ length: count }, () => 1 + random.integer(below));

function cutsOf({ operations, halves }: { operations: number; halves: number }, count: number): Cut[] {
  return [
    ...some(operations, count).map((at): Cut => ({ at, kind: "kill" })),
    ...some(halves, count).map((at): Cut => ({ at, kind: "torn" })),
  ];
}

test("killed before or during any operation on thread files, nothing is lost, duplicated or left behind", async () => {
  console.log(`seed ${seed}`);
  expect(await cutAll("mirror", cutsOf(MIRROR, 3), AT_ONCE)).toEqual([]);
});

test("a killed import is completed by the next one", async () => {
  console.log(`seed ${seed}`);
  expect(await cutAll("import", cutsOf(IMPORT, 1), AT_ONCE)).toEqual([]);
});

test("whichever single disk operation fails, the session continues and everything is mirrored once", async () => {
  console.log(`seed ${seed}`);
  const lives = [
    ...(await refuseAt("EIO", some(REFUSABLE.operations, 4))),
    ...(await refuseAt("ENOSPC", some(REFUSABLE.halves, 2))),
  ];
  expect(lives.flatMap(({ hit, wrong }) => wrong.map((one) => `${hit ?? "none"}: ${one}`))).toEqual([]);
  expect(lives.length).toBe(6);
});
