import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { openRepository, type Repository } from "./git-changes.ts";

const WHO = ["-c", "user.name=a", "-c", "user.email=a@b"];

function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", [...WHO, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

function commit(cwd: string, when: string): void {
  const env = { ...process.env, GIT_COMMITTER_DATE: when, GIT_AUTHOR_DATE: when };
  execFileSync("git", ["add", "-A"], { cwd, stdio: "ignore" });
  execFileSync("git", [...WHO, "commit", "-qm", "x"], { cwd, env });
}

async function opened(root: string): Promise<Repository> {
  const repository = await openRepository(root);
  if (repository === undefined) throw new Error("no repository");
  return repository;
}

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n");

test("changes against HEAD: edited, new, deleted, renamed, binary, large, in a subfolder and with odd names", async () => {
  const root = await scratchTree({
    "edited.txt": "one\ntwo\n",
    "gone.txt": "x\n",
    "old name.txt": `${LINES}\n`,
    "picture.dat": Buffer.from([0, 1, 2]),
    "large.txt": "a",
    "below/inner.txt": "in\n",
    ".gitignore": "*.log\n",
  });
  git(root, "init", "-q");
  commit(root, "2026-01-01T00:00:00Z");
  await writeFile(join(root, "edited.txt"), "one\n2\n3\n");
  await writeFile(join(root, "tab\tand\nline.txt"), "new\nlines\n");
  await writeFile(join(root, "ignored.log"), "x");
  await rm(join(root, "gone.txt"));
  await rename(join(root, "old name.txt"), join(root, "new name.txt"));
  await writeFile(join(root, "picture.dat"), Buffer.from([0, 1, 3]));
  await writeFile(join(root, "large.txt"), "b\n".repeat(3 * 1024 * 1024));
  await writeFile(join(root, "below/inner.txt"), "out\n");
  git(root, "add", "-A", "--", "new name.txt", "old name.txt");
  const repository = await opened(root);
  const head = await repository.head();
  expect(await repository.changes(head)).toEqual({
    files: [
      { path: "below/inner.txt", status: "modified", added: 1, removed: 1 },
      { path: "edited.txt", status: "modified", added: 2, removed: 1 },
      { path: "gone.txt", status: "deleted", added: 0, removed: 1 },
      { path: "large.txt", status: "modified" },
      { path: "new name.txt", oldPath: "old name.txt", status: "renamed", added: 0, removed: 0 },
      { path: "picture.dat", status: "modified" },
      { path: "tab\tand\nline.txt", status: "added", added: 2, removed: 0 },
    ],
    truncated: false,
  });
  const { patch, ...facts } = await repository.patch(head, { path: "edited.txt" });
  expect(facts).toEqual({ path: "edited.txt", isWhole: true, isBinary: false, truncated: false });
  expect(patch.slice(patch.indexOf("@@"))).toBe("@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n");
  expect((await repository.patch(head, { path: "tab\tand\nline.txt" })).patch).toContain(
    "@@ -0,0 +1,2 @@\n+new\n+lines",
  );
  expect(await repository.patch(head, { path: "large.txt" })).toMatchObject({ isBinary: true });
  expect((await repository.patch(head, { path: ".gitignore" })).patch).toBe("");
  const inner = await opened(await realpath(join(root, "below")));
  expect((await inner.changes(head)).files).toEqual([{ path: "inner.txt", status: "modified", added: 1, removed: 1 }]);
});

test("a patch over the limit is shown with less context, or truncated at a line with a note", async () => {
  const many = Array.from({ length: 60_000 }, (_, at) => `this is line number ${at}`);
  const root = await scratchTree({ "a.txt": many.join("\n"), "b.txt": "" });
  git(root, "init", "-q");
  commit(root, "2026-01-01T00:00:00Z");
  await writeFile(join(root, "a.txt"), many.with(30_000, "changed").join("\n"));
  await writeFile(join(root, "b.txt"), many.join("\n"));
  const repository = await opened(root);
  const head = await repository.head();
  const small = await repository.patch(head, { path: "a.txt" });
  expect(small).toMatchObject({ isWhole: false, truncated: false });
  expect(small.patch.split("\n").filter((line) => /^[ +-][^+-]/.test(line))).toHaveLength(8);
  const cut = await repository.patch(head, { path: "b.txt" });
  expect(cut).toMatchObject({ truncated: true });
  expect(cut.patch.length).toBeGreaterThan(1_000_000);
  expect(cut.patch.endsWith("\n")).toBe(true);
});

test("the start of a session is HEAD at that time; before the first commit everything is new", async () => {
  const root = await scratchTree({ "a.txt": "1\n" });
  git(root, "init", "-q");
  const unborn = await opened(root);
  expect((await unborn.changes(await unborn.head())).files).toEqual([
    { path: "a.txt", status: "added", added: 1, removed: 0 },
  ]);
  commit(root, "2026-01-01T00:00:00Z");
  const first = git(root, "rev-parse", "HEAD").trim();
  await writeFile(join(root, "a.txt"), "1\n2\n");
  commit(root, "2026-01-03T00:00:00Z");
  const repository = await opened(root);
  expect(await repository.commitAt(Date.parse("2026-01-02T00:00:00Z"))).toBe(first);
  expect(await repository.commitAt(Date.parse("2026-01-04T00:00:00Z"))).toBe(await repository.head());
  const before = await repository.commitAt(Date.parse("2025-01-01T00:00:00Z"));
  expect((await repository.changes(before)).files).toMatchObject([{ path: "a.txt", status: "added", added: 2 }]);
});

test.skipIf(process.platform === "win32")("nothing that a repository names is run to compare it", async () => {
  const root = await scratchTree({ "a.txt": "1\n", ".gitattributes": "* filter=evil=x diff=evil=x\n" });
  const mark = join(root, "was-run");
  const script = join(await scratchTree(), "evil.sh");
  await writeFile(script, `#!/bin/sh\necho run >> '${mark}'\ncat\n`);
  await chmod(script, 0o755);
  const inner = join(root, "module");
  await mkdir(inner);
  await writeFile(join(inner, "b.txt"), "1\n");
  for (const directory of [inner, root]) {
    git(directory, "init", "-q");
    commit(directory, "2026-01-01T00:00:00Z");
    for (const key of ["core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.sshCommand"])
      git(directory, "config", key, script);
    for (const key of ["filter.evil=x.clean", "filter.evil=x.process", "diff.evil=x.textconv", "diff.evil=x.command"])
      git(directory, "config", key, script);
    git(directory, "config", "filter.evil=x.required", "true");
    git(directory, "config", "log.showSignature", "true");
  }
  await writeFile(join(root, "a.txt"), "2\n");
  await writeFile(join(inner, "b.txt"), "2\n");
  // Control: without the guards git runs it.
  spawnSync("git", ["diff"], { cwd: root, stdio: "ignore" });
  const repository = await opened(root);
  const ran = async () => (await repository.changes(await repository.head())).files.map(({ path }) => path);
  expect(await ran()).toContain("was-run");
  await rm(mark);
  expect(await ran()).toEqual(["a.txt"]);
  await repository.patch(await repository.head(), { path: "a.txt" });
  await repository.commitAt(Date.parse("2027-01-01T00:00:00Z"));
  expect(await ran()).toEqual(["a.txt"]);
});

test("another working tree, a linked file and a folder without a repository reveal nothing", async () => {
  const secret = await scratchTree({ "secret.txt": "secret\n" });
  const root = await scratchTree({ "a.txt": "1\n", "link.txt": "plain\n" });
  expect(await openRepository(secret)).toBeUndefined();
  git(root, "init", "-q");
  commit(root, "2026-01-01T00:00:00Z");
  await rm(join(root, "link.txt"));
  await symlink(join(secret, "secret.txt"), join(root, "link.txt"));
  await symlink(secret, join(root, "linked"));
  await symlink(join(root, ".git"), join(root, "metadata"));
  const repository = await opened(root);
  const head = await repository.head();
  const patches = await Promise.all(
    ["link.txt", "linked/secret.txt", "metadata/config"].map((path) => repository.patch(head, { path })),
  );
  expect(
    patches.map(({ patch }) => /secret\n|\[core\]/.test(patch.replaceAll(join(secret, "secret.txt"), ""))),
  ).toEqual([false, false, false]);
  expect((await repository.changes(head)).files.map(({ path }) => path)).toEqual(["link.txt", "linked", "metadata"]);
  git(root, "config", "core.worktree", secret);
  expect(await openRepository(root)).toBeUndefined();
});
