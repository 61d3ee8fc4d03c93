import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { listFiles, createPathSplitter, isIgnored, parseIgnoreFile } from "./list-files.ts";
import { createTextReader } from "./text-reader.ts";
import { patient } from "../../../test/patience.ts";
import { rounds } from "../../../test/rounds.ts";

const signal = new AbortController().signal;

function list(root: string, filesMax?: number) {
  const limit = filesMax === undefined ? {} : { filesMax };
  return listFiles(root, { signal, reader: createTextReader(root), ...limit });
}

const TREE = {
  "src/main.ts": "",
  "src/naïve 日本.ts": "",
  "out/built.js": "",
  "notes.log": "",
  ".gitignore": "out/\n*.log\n",
  "node_modules/dep/index.js": "",
};

test("in a work tree git lists tracked and untracked files, without ignored ones, names unchanged", async () => {
  const root = await scratchTree(TREE);
  await rm(join(root, "node_modules"), { recursive: true });
  execFileSync("git", ["init", "-q"], { cwd: root });
  execFileSync("git", ["add", "src/main.ts"], { cwd: root });
  const { paths, ...facts } = await list(root);
  expect(paths.toSorted()).toEqual([".gitignore", "src/main.ts", "src/naïve 日本.ts"]);
  expect(facts).toEqual({ by: "git", isCut: false, unreadableDirectories: 0 });
  const sub = await list(join(root, "src"));
  expect(sub.paths.toSorted()).toEqual(["main.ts", "naïve 日本.ts"]);
});

test("without git the directory is walked, without ignored files, node_modules and links", async () => {
  const root = await scratchTree(TREE);
  await symlink(root, join(root, "loop"));
  await symlink("/etc", join(root, "etc"));
  expect(await list(root)).toEqual({
    paths: [".gitignore", "src/main.ts", "src/naïve 日本.ts"],
    by: "walk",
    isCut: false,
    unreadableDirectories: 0,
  });
});

test("a directory that its own repository ignores is walked", async () => {
  const root = await scratchTree({ ".gitignore": "vendor/\n", "vendor/lib.c": "" });
  execFileSync("git", ["init", "-q"], { cwd: root });
  expect(await list(join(root, "vendor"))).toMatchObject({ paths: ["lib.c"], by: "walk" });
});

test("an empty directory and one that is gone give no files, without failing", async () => {
  const root = await scratchTree();
  expect(await list(root)).toEqual({ paths: [], by: "walk", isCut: false, unreadableDirectories: 0 });
  expect(await list(join(root, "gone"))).toEqual({ paths: [], by: "walk", isCut: false, unreadableDirectories: 1 });
});

test(
  "thousands of files are listed, by git and by walking, and a reached limit is reported",
  { timeout: patient(60_000) },
  async () => {
    const root = await scratchTree();
    const directories = rounds(20, 100);
    for (let directory = 0; directory < directories; directory++) {
      await mkdir(join(root, `d${directory}`));
      await Promise.all(Array.from({ length: 100 }, (_, n) => writeFile(join(root, `d${directory}`, `f${n}.txt`), "")));
    }
    const walked = await list(root);
    expect([walked.paths.length, walked.by, walked.isCut]).toEqual([directories * 100, "walk", false]);
    const cut = await list(root, 1_000);
    expect([cut.paths.length, cut.isCut]).toEqual([1_000, true]);
    execFileSync("git", ["init", "-q"], { cwd: root });
    const listed = await list(root);
    expect([listed.paths.length, listed.by, listed.isCut]).toEqual([directories * 100, "git", false]);
    const listedCut = await list(root, 1_000);
    expect([listedCut.paths.length, listedCut.by, listedCut.isCut]).toEqual([1_000, "git", true]);
    expect(new Set(listed.paths)).toEqual(new Set(walked.paths));
  },
);

test("a tree deeper than the limit is truncated and reported", async () => {
  const root = await scratchTree({ [`${"d/".repeat(60)}deep.txt`]: "", "top.txt": "" });
  expect(await list(root)).toMatchObject({ paths: ["top.txt"], isCut: true });
});

test("an aborted listing stops with the signal's reason", async () => {
  const root = await scratchTree(TREE);
  const controller = new AbortController();
  const listing = listFiles(root, { signal: controller.signal, reader: createTextReader(root) });
  controller.abort(new Error("stop"));
  await expect(listing).rejects.toThrow("stop");
});

test("paths are complete however the bytes are split, even inside a character", () => {
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

const RULES = `# a comment
*.log
!keep.log
/build
dist/
docs/*.tmp
**/cache
a/**/z.txt
file?.txt
[abc]x.md
[!0-9]y.md
\\#hash
trailing  
`;

const FILES = [
  "a.log",
  "deep/er/b.log",
  "keep.log",
  "build",
  "sub/build",
  "dist",
  "docs/x.tmp",
  "docs/sub/x.tmp",
  "cache",
  "x/y/cache",
  "a/z.txt",
  "a/b/c/z.txt",
  "file1.txt",
  "file12.txt",
  "ax.md",
  "dx.md",
  "5y.md",
  "qy.md",
  "#hash",
  "trailing",
  "plain.ts",
];

test(".gitignore is read as git reads it, for files of every pattern kind", async () => {
  const root = await scratchTree({ ".gitignore": RULES });
  execFileSync("git", ["init", "-q"], { cwd: root });
  const byGit = FILES.filter((path) => {
    try {
      execFileSync("git", ["-C", root, "check-ignore", "-q", "--no-index", "--", join(root, path)]);
      return true;
    } catch {
      return false;
    }
  });
  const scopes = [{ base: "", rules: parseIgnoreFile(RULES) }];
  expect(FILES.filter((path) => isIgnored(scopes, path, false))).toEqual(byGit);
  expect(byGit).toContain("deep/er/b.log");
});

test("a rule with a trailing slash matches directories, and inner rules override outer ones", () => {
  const outer = { base: "", rules: parseIgnoreFile("dist/\n*.log\n") };
  const inner = { base: "sub", rules: parseIgnoreFile("!*.log\n/only.txt\n") };
  expect(isIgnored([outer], "dist", true)).toBe(true);
  expect(isIgnored([outer], "dist", false)).toBe(false);
  expect(isIgnored([outer, inner], "sub/a.log", false)).toBe(false);
  expect(isIgnored([outer, inner], "sub/only.txt", false)).toBe(true);
  expect(isIgnored([outer, inner], "sub/deep/only.txt", false)).toBe(false);
});

test("a hostile pattern takes at most pattern length times path length", () => {
  const rules = parseIgnoreFile(`${"a*".repeat(60)}b\n${"**/a/".repeat(60)}b\n`);
  const path = `${"a/".repeat(200)}${"a".repeat(250)}`;
  // Exponential matching would not come back within the life of the test.
  expect(isIgnored([{ base: "", rules }], path, false)).toBe(false);
});
