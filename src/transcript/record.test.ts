import { expect, test } from "vitest";
import { omit, own, plain, present } from "./record.ts";

test("plain values are returned unchanged; undefined fields are removed at any depth", () => {
  const whole = { a: [{ b: 1 }], c: null };
  expect(plain(whole)).toBe(whole);
  expect(plain({ a: [{ b: undefined, c: 1 }], d: undefined })).toStrictEqual({ a: [{ c: 1 }] });
  expect(present({ a: undefined, b: 0, c: "" })).toStrictEqual({ b: 0, c: "" });
});

test("[T31] only a record's own keys are read, and keys with names of built-in properties can be stored", () => {
  const record = JSON.parse('{"__proto__": 1, "constructor": 2}') as Record<string, number>;
  expect([
    own(record, "__proto__"),
    own(record, "constructor"),
    own({}, "constructor"),
    own({}, "__proto__"),
  ]).toStrictEqual([1, 2, undefined, undefined]);
  expect(Object.entries(omit(record, "constructor"))).toStrictEqual([["__proto__", 1]]);
});
