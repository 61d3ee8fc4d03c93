import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasGit } from "./checkout-directories.ts";

test("an empty .git is no checkout; one with a HEAD is, and so is a .git file", () => {
  const at = (name: string) => {
    const directory = join(mkdtempSync(join(tmpdir(), "rt-git-")), name);
    mkdirSync(directory);
    return directory;
  };
  expect(hasGit(at("none"))).toBe(false);
  const empty = at("empty");
  mkdirSync(join(empty, ".git"));
  expect(hasGit(empty)).toBe(false);
  writeFileSync(join(empty, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(hasGit(empty)).toBe(true);
  const worktree = at("worktree");
  writeFileSync(join(worktree, ".git"), "gitdir: elsewhere\n");
  expect(hasGit(worktree)).toBe(true);
});
