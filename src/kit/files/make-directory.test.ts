import { existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { makeDirectory } from "./make-directory.ts";

test("a directory is made with those above it, once", () => {
  const root = mkdtempSync(path.join(tmpdir(), "rt-make-"));
  const deep = path.join(root, "a", "b");
  expect([makeDirectory(deep, 0o700), makeDirectory(deep, 0o700)]).toEqual([true, false]);
  expect(statSync(deep).isDirectory()).toBe(true);
  writeFileSync(path.join(root, "file"), "");
  expect(() => makeDirectory(path.join(root, "file", "below"), 0o700)).toThrow("ENOTDIR");
});

test.skipIf(!existsSync("/proc/self"))("where no directory can be made, that is said at once", () => {
  expect(() => makeDirectory("/proc/nodir/data", 0o700)).toThrow("ENOENT");
});
