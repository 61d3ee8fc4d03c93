import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { expect, test } from "vitest";
import { createOneTimeCodes, isSameSecret, newSecret } from "./secrets.ts";

test("a secret is 256 random bits in letters that fit a URL, and only itself is the same", () => {
  const secrets = Array.from({ length: 100 }, newSecret);
  expect(new Set(secrets).size).toBe(100);
  expect(secrets.filter((one) => !/^[\w-]{43}$/.test(one))).toEqual([]);
  const [one = "", two = ""] = secrets;
  expect([one, two, "", one.slice(1), `${one}x`, one.toLowerCase()].map((given) => isSameSecret(given, one))).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("a code is accepted once, within 60 seconds, and only in full", () => {
  let nowMs = 0;
  const clock = { now: () => 0, monotonic: () => nowMs, after: () => () => {} };
  const codes = createOneTimeCodes(clock);
  const [one, two] = [codes.issue(), codes.issue()];
  nowMs = 60_000;
  expect([codes.redeem(one.slice(1)), codes.redeem(""), codes.redeem(one), codes.redeem(one)]).toEqual([
    undefined,
    undefined,
    { scope: "manage" },
    undefined,
  ]);
  nowMs = 60_001;
  expect(codes.redeem(two)).toBeUndefined();
});

test("[V87] a secret is compared by digests of one length and in constant time, with every open code whatever is given", () => {
  const compared: [number, number][] = [];
  const { timingSafeEqual } = crypto;
  crypto.timingSafeEqual = (left, right) => {
    compared.push([left.byteLength, right.byteLength]);
    return timingSafeEqual(left, right);
  };
  syncBuiltinESMExports();
  try {
    const codes = createOneTimeCodes({ now: () => 0, monotonic: () => 0, after: () => () => {} });
    const open = [codes.issue(), codes.issue(), codes.issue(), codes.issue()];
    const steps = (given: string) => {
      compared.length = 0;
      codes.redeem(given);
      return [...compared];
    };
    const whole = (count: number) => Array.from({ length: count }, () => [32, 32]);
    expect([steps(""), steps("x".repeat(10_000)), steps(newSecret())]).toEqual([whole(4), whole(4), whole(4)]);
    expect(steps(open[0] ?? "")).toEqual(whole(4));
    expect(steps(open[3] ?? "")).toEqual(whole(3));
    compared.length = 0;
    isSameSecret("short", newSecret());
    expect(compared).toEqual(whole(1));
  } finally {
    crypto.timingSafeEqual = timingSafeEqual;
    syncBuiltinESMExports();
  }
});
