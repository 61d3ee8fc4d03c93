import { expect, test } from "vitest";
import { findReferences } from "./file-references.ts";

const found = (text: string) =>
  findReferences(text).map(({ start, end, path, line }) => `${text.slice(start, end)} = ${path}@${line ?? ""}`);

test("files with a line, a directory or an ending may be files; numbers, times, addresses and sentences are not", () => {
  expect(found("See src/log/lock.ts:12, lock.ts:3:7 and (docs/a-b.md#L9-L12).")).toEqual([
    "src/log/lock.ts:12 = src/log/lock.ts@12",
    "lock.ts:3:7 = lock.ts@3",
    "docs/a-b.md#L9-L12 = docs/a-b.md@9",
  ]);
  expect(found("Change package.json. Then ./run/it.")).toEqual([
    "package.json = package.json@",
    "./run/it = ./run/it@",
  ]);
  expect(found("/home/ada/x.ts:5")).toEqual(["/home/ada/x.ts:5 = /home/ada/x.ts@5"]);
  expect(found("14:31, 3.5, v1.2.3, key:12, https://example.invalid/a/b.ts:3 and and/or")).toEqual([
    "and/or = and/or@",
  ]);
  expect(found(`${"a".repeat(100_000)}%`)).toEqual([]);
});
