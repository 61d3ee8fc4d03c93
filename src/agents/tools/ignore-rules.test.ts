import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { isIgnored, parseIgnoreFile } from "./ignore-rules.ts";

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

test("a rule with a trailing slash is for directories, and inner rules come after outer ones", () => {
  const outer = { base: "", rules: parseIgnoreFile("dist/\n*.log\n") };
  const inner = { base: "sub", rules: parseIgnoreFile("!*.log\n/only.txt\n") };
  expect(isIgnored([outer], "dist", true)).toBe(true);
  expect(isIgnored([outer], "dist", false)).toBe(false);
  expect(isIgnored([outer, inner], "sub/a.log", false)).toBe(false);
  expect(isIgnored([outer, inner], "sub/only.txt", false)).toBe(true);
  expect(isIgnored([outer, inner], "sub/deep/only.txt", false)).toBe(false);
});

test("a hostile pattern costs no more than pattern times path", () => {
  const rules = parseIgnoreFile(`${"a*".repeat(60)}b\n${"**/a/".repeat(60)}b\n`);
  const path = `${"a/".repeat(200)}${"a".repeat(250)}`;
  // Exponential matching would not come back within the life of the test.
  expect(isIgnored([{ base: "", rules }], path, false)).toBe(false);
});
