import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { GovernedWatch } from "./watch.ts";

function repository() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-nested-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = path.join(root, "work");
  mkdirSync(cwd);
  const env = { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const run = (line: string): string => execFileSync("sh", ["-c", line], { cwd, env, encoding: "utf8" }).trim();
  run("git config --global user.name A; git config --global user.email a@b; git init -q . 2>/dev/null");
  const watch = new GovernedWatch(cwd);
  const quarantine = path.join(root, "quarantine");
  return { cwd, run, watch, check: () => watch.check("ann", { isSandboxed: true, quarantine }) };
}

test("of a new repository only what can run programs is removed, and it stays usable", () => {
  const { run, watch, check, cwd } = repository();
  watch.begin("ann");
  run(`git init -q n 2>/dev/null; cd n; git config user.name "B \\"b\\" \\\\ c"; git config remote.origin.url ../other
    git config branch.main.merge refs/heads/main; git config core.pager evil; git config alias.x '!evil'
    git commit -q --allow-empty -m one; printf '#!/bin/sh\\n' > .git/hooks/pre-push`);
  const { moved, reduced, left } = check();
  expect(reduced.map(({ from, keys }) => [path.relative(cwd, from), keys])).toEqual([
    ["n/.git/config", ["core.pager", "alias.x"]],
  ]);
  expect(moved.map(({ from }) => path.relative(cwd, from))).toEqual(["n/.git/hooks"]);
  expect(left).toEqual([]);
  expect(run("cd n; git config user.name; git config remote.origin.url; git config branch.main.merge")).toBe(
    'B "b" \\ c\n../other\nrefs/heads/main',
  );
  expect(run("cd n; git log --format=%s; git config core.pager || echo none")).toBe("one\nnone");
  expect(readdirSync(path.join(cwd, "n/.git/hooks"))).toEqual([]);
  expect(check()).toEqual({ moved: [], reduced: [], left: [] });
});

test("clones, submodules, linked worktrees and existing repositories are unchanged", () => {
  const { run, watch, check, cwd } = repository();
  run("git init -q old 2>/dev/null; git -C old config core.pager mine; git -C old commit -q --allow-empty -m one");
  run("git commit -q --allow-empty -m one");
  watch.begin("ann");
  run(`git clone -q old copy 2>/dev/null; git worktree add -q tree 2>/dev/null
    git -c protocol.file.allow=always submodule --quiet add ./old sub 2>/dev/null || true`);
  // Made by the user, since the sandbox protects it.
  run("git -C old config core.editor mine; git config core.pager mine");
  expect(check()).toEqual({
    moved: [{ from: path.join(cwd, ".gitmodules"), to: expect.any(String) as string }],
    reduced: [],
    left: [],
  });
  expect(existsSync(path.join(cwd, "tree/.git"))).toBe(true);
});

test("hooks and settings changed in the next turn are checked too", () => {
  const { run, watch, check, cwd } = repository();
  watch.begin("ann");
  run("git init -q n 2>/dev/null");
  expect(check().reduced).toEqual([]);
  run("git -C n config core.fsmonitor evil");
  expect(check().reduced).toHaveLength(1);
  writeFileSync(path.join(cwd, "n/.git/hooks/post-merge"), "evil");
  expect(check().moved).toHaveLength(1);
});

test("what is no plain file, or huge, in the place of one of git's own stops nothing and is moved away", () => {
  const { run, watch, check, cwd } = repository();
  watch.begin("ann");
  run(`mkdir p .git/rebase-merge; mkfifo p/.git .git/commondir .git/rebase-merge/git-rebase-todo
    git init -q n 2>/dev/null; rm n/.git/config; mkfifo n/.git/config
    git init -q h 2>/dev/null; truncate -s 1900M h/.git/config; rm -f .git/index; mkfifo .git/index
    mkdir -p .git/modules/m/objects; echo x > .git/modules/m/HEAD; ln -s /dev/zero .git/modules/m/config`);
  const { moved, reduced, left } = check();
  const names = [...moved, ...reduced].map(({ from }) => path.relative(cwd, from));
  expect(names).toEqual(
    expect.arrayContaining(["p/.git", ".git/commondir", ".git/rebase-merge/git-rebase-todo", "n/.git/config"]),
  );
  expect(left).toEqual([]);
});

test.skipIf(process.getuid?.() === 0)("a directory that cannot be listed hides nothing that opens by its name", () => {
  const { run, watch, check, cwd } = repository();
  watch.begin("ann");
  run(`git init -q n 2>/dev/null; git -C n config alias.x '!evil'; mkdir s; echo evil > s/.envrc
    git init -q h 2>/dev/null; echo x > h/.git/hooks/pre-push; chmod 311 n n/.git s; chmod 111 h/.git/hooks`);
  const { moved, reduced, left } = check();
  const names = [...moved, ...reduced].map(({ from }) => path.relative(cwd, from));
  expect(names.sort()).toEqual(["h/.git/hooks", "n/.git/config", "s/.envrc"]);
  expect(left).toEqual([]);
});

test("a governed file whose path is longer than a name may be is moved away too", () => {
  const { run, watch, check, cwd } = repository();
  watch.begin("ann");
  const [folder, project] = ["x".repeat(200), `${"y".repeat(238)}.code-workspace`];
  run(`mkdir -p ${folder}/${folder}; echo evil > ${folder}/${folder}/AGENTS.md; echo evil > ${project}`);
  const { moved, left } = check();
  const names = moved.map(({ from }) => path.relative(cwd, from));
  expect(names.sort()).toEqual([`${folder}/${folder}/AGENTS.md`, project].sort());
  expect(left).toEqual([]);
});
