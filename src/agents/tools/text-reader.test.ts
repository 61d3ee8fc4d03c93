import { execFileSync } from "node:child_process";
import { chmod, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { createTextReader, FILE_BYTES_MAX } from "./text-reader.ts";

test("text is read; binary, huge, missing and special files are reported as such", async () => {
  const root = await scratchTree({
    "naïve 日本/ünï.txt": "grüße",
    "empty.txt": "",
    "zero.dat": Buffer.from([65, 0, 66]),
    "photo.PNG": "not really",
    "limit.txt": "x".repeat(FILE_BYTES_MAX),
    "huge.txt": "x".repeat(FILE_BYTES_MAX + 1),
    "latin.txt": Buffer.from([0x66, 0xfc, 0x72]),
    "dir/inner.txt": "x",
  });
  const reader = createTextReader(root);
  const limit = await reader.read("limit.txt");
  expect(limit.kind === "text" && limit.bytes).toBe(FILE_BYTES_MAX);
  const kinds = await Promise.all(
    ["naïve 日本/ünï.txt", "empty.txt", "zero.dat", "photo.PNG", "huge.txt", "latin.txt", "gone.txt", "dir"].map(
      (path) => reader.read(path),
    ),
  );
  expect(kinds).toEqual([
    { kind: "text", text: "grüße", bytes: 7 },
    { kind: "text", text: "", bytes: 0 },
    { kind: "binary" },
    { kind: "binary" },
    { kind: "huge", bytes: FILE_BYTES_MAX + 1 },
    { kind: "text", text: "f\uFFFDr", bytes: 3 },
    { kind: "unreadable" },
    { kind: "other" },
  ]);
});

test("no link is followed, inside or out, and no path leads out of the directory", async () => {
  const outside = await scratchTree({ "secret.txt": "secret" });
  const root = await scratchTree({ "real.txt": "real" });
  await symlink(join(outside, "secret.txt"), join(root, "link.txt"));
  await symlink(outside, join(root, "away"));
  await symlink("real.txt", join(root, "alias.txt"));
  await symlink("loop", join(root, "loop"));
  const reader = createTextReader(root);
  const paths = [
    "link.txt",
    "away/secret.txt",
    "alias.txt",
    "loop",
    "../x",
    `${outside}/secret.txt`,
    "a/../../secret.txt",
  ];
  expect(await Promise.all(paths.map((path) => reader.read(path)))).toEqual(paths.map(() => ({ kind: "other" })));
});

test("a directory that becomes a link to the outside after it was listed is not entered", async () => {
  const outside = await scratchTree({ "a.txt": "secret" });
  const root = await scratchTree({ "dir/a.txt": "mine" });
  await rename(join(root, "dir"), join(root, "old"));
  await symlink(outside, join(root, "dir"));
  expect(await createTextReader(root).read("dir/a.txt")).toEqual({ kind: "other" });
});

test.skipIf(process.platform === "win32")("a pipe does not block the reader", async () => {
  const root = await scratchTree();
  execFileSync("/usr/bin/env", ["mkfifo", join(root, "pipe")]);
  expect(await createTextReader(root).read("pipe")).toEqual({ kind: "other" });
});

test.skipIf(process.getuid?.() === 0)("a file without read permission is unreadable", async () => {
  const root = await scratchTree();
  await mkdir(join(root, "dir"));
  await writeFile(join(root, "dir", "shut.txt"), "x");
  await chmod(join(root, "dir", "shut.txt"), 0);
  expect(await createTextReader(root).read("dir/shut.txt")).toEqual({ kind: "unreadable" });
});
