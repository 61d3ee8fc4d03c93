import { expect, test } from "vitest";
import { createPathSplitter } from "./path-splitter.ts";

test("paths are whole however the bytes are cut, also inside a character", () => {
  const bytes = Buffer.from("src/日本.ts\0naïve\0last\0");
  for (let at = 0; at <= bytes.length; at++) {
    const splitter = createPathSplitter(10);
    splitter.push(bytes.subarray(0, at));
    splitter.push(bytes.subarray(at));
    expect(splitter.paths).toEqual(["src/日本.ts", "naïve", "last"]);
  }
});

test("paths that lead out of the directory are dropped", () => {
  const splitter = createPathSplitter(10);
  expect(splitter.push(Buffer.from("../up\0/etc/passwd\0a/../../b\0fine\0\0"))).toBe(true);
  expect(splitter.paths).toEqual(["fine"]);
});

test("one path more than the limit ends the listing", () => {
  const splitter = createPathSplitter(2);
  expect(splitter.push(Buffer.from("a\0b\0"))).toBe(true);
  expect(splitter.push(Buffer.from("c\0"))).toBe(false);
  expect(splitter.paths).toEqual(["a", "b"]);
});
