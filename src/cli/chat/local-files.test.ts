import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createLocalFiles } from "./run-chat.ts";

function scratch() {
  const directory = mkdtempSync(path.join(tmpdir(), "rt-local-"));
  mkdirSync(path.join(directory, "src"));
  for (const name of ["notes.md", ".hidden", "src/a.ts", "src/b.ts"]) writeFileSync(path.join(directory, name), "text");
  return { directory, files: createLocalFiles(async () => directory) };
}

test("local paths are completed folder by folder, hidden ones after a dot", async () => {
  const { directory, files } = scratch();
  const complete = (prefix: string, limit = 10) => files.complete(prefix, { cwd: undefined, limit });
  expect(await complete("")).toEqual(["notes.md", "src/"]);
  expect(await complete(".")).toEqual([".hidden"]);
  expect(await complete("src/")).toEqual(["src/a.ts", "src/b.ts"]);
  expect(await complete("src/", 1)).toEqual(["src/a.ts"]);
  expect(await complete(`${directory}/n`)).toEqual([`${directory}/notes.md`]);
  expect(await files.complete("a", { cwd: path.join(directory, "src"), limit: 10 })).toEqual(["a.ts"]);
  expect(await complete("~")).toEqual(["~/"]);
});

test("a file is read from the session's directory; anything else is reported for what it is", async () => {
  const { directory, files } = scratch();
  expect((await files.read("notes.md", undefined)).name).toBe("notes.md");
  expect((await files.read("b.ts", path.join(directory, "src"))).bytes).toHaveLength(4);
  await expect(files.read("src", undefined)).rejects.toThrow("it is a directory");
  await expect(files.read("gone", undefined)).rejects.toThrow("there is no such file");
  await expect(files.read("/dev/null", undefined)).rejects.toThrow("it is not a regular file");
});
