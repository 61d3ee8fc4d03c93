import { expect, test } from "vitest";
import { isSameSecret, newSecret } from "./secrets.ts";

test("[V21] a secret is 256 random bits in letters that fit a URL, and only itself is the same", () => {
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
