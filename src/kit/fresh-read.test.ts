import { expect, test } from "vitest";
import { createFreshRead } from "./fresh-read.ts";

/** Reads are numbered, and end when they are told to. */
function setup() {
  const begun: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const seen: number[] = [];
  const refresh = createFreshRead(async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const number = begun.push({ resolve, reject });
    await promise;
    seen.push(number);
  });
  return { begun, seen, refresh };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

test("whoever calls during a read gets the next one, which all of them share", async () => {
  const { begun, seen, refresh } = setup();
  const first = refresh();
  const late = [refresh(), refresh()];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await first;
  expect(seen).toEqual([1]);
  // Between the two reads.
  late.push(refresh());
  await settled();
  expect(begun).toHaveLength(2);
  begun[1]?.resolve();
  await Promise.all(late);
  expect(seen).toEqual([1, 2]);
  expect(begun).toHaveLength(2);
});

test("a read that fails is reported to those who asked for it, not to those who came later", async () => {
  const { begun, refresh } = setup();
  const first = refresh();
  const late = refresh();
  begun[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await settled();
  begun[1]?.resolve();
  await expect(late).resolves.toBeUndefined();
  const again = refresh();
  expect(begun).toHaveLength(3);
  begun[2]?.resolve();
  await again;
});
