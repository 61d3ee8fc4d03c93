import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { listFiles } from "./list-files.ts";

function makeTree(files: readonly string[]): string {
  const root = mkdtempSync(path.join(tmpdir(), "rt-files-"));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), "");
  }
  return root;
}

const TREE = [
  "README.md",
  "src/read.ts",
  "src/deep/reader.test.ts",
  "docs/ready.md",
  ".git/HEAD",
  "node_modules/read/x.js",
];

describe("list files", () => {
  test("names are relative to the directory, best match first, without version control and packages", async () => {
    const root = makeTree(TREE);
    expect(await listFiles(root, "read", 10)).toEqual([
      "README.md",
      "src/read.ts",
      "docs/ready.md",
      "src/deep/reader.test.ts",
    ]);
    expect(await listFiles(root, "src/d", 10)).toEqual(["src/deep/reader.test.ts", "src/read.ts"]);
    expect(await listFiles(root, "srdts", 10)).toEqual(["src/read.ts", "src/deep/reader.test.ts"]);
    expect(await listFiles(root, "", 2)).toEqual(["README.md", "src/read.ts"]);
  });

  test("[H2] the walk never leaves the directory, by name or by link", async () => {
    const root = makeTree(["inside.txt"]);
    const outside = makeTree(["secret.txt"]);
    symlinkSync(outside, path.join(root, "linked"));
    symlinkSync(path.join(outside, "secret.txt"), path.join(root, "secret-link.txt"));
    expect(await listFiles(root, "", 10)).toEqual(["inside.txt"]);
    expect(await listFiles(root, "../", 10)).toEqual([]);
    expect(await listFiles(path.join(root, "missing"), "", 10)).toEqual([]);
  });
});
