import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { withCheckoutLast } from "./checkout.ts";
import { findProgram } from "./find-program.ts";

const root = mkdtempSync(path.join(tmpdir(), "roundtable-find-"));
afterAll(() => rmSync(root, { recursive: true }));
const [first, second] = [path.join(root, "first"), path.join(root, "second")];
for (const folder of [first, second]) mkdirSync(folder);
function file(folder: string, name: string, mode: number): void {
  writeFileSync(path.join(folder, name), "#!/bin/sh\n");
  chmodSync(path.join(folder, name), mode);
}
file(first, "plain", 0o644);
file(second, "plain", 0o755);
file(second, "tool", 0o755);
file(second, "tool.EXE", 0o755);
file(first, "locked", 0o644);
mkdirSync(path.join(first, "tool"));
const PATH = `:.:relative:${first}:${second}`;

test("the first executable file on PATH is found; folders and plain files before it are skipped", () => {
  expect(findProgram("plain", { PATH })).toEqual({ ok: true, path: path.join(second, "plain") });
  expect(findProgram("tool", { PATH })).toEqual({ ok: true, path: path.join(second, "tool") });
});

test("a program that cannot run is reported with the reason, for the closest candidate", () => {
  const why = (command: string) => {
    const result = findProgram(command, { PATH });
    return result.ok ? null : [result.why, result.message];
  };
  expect(why("locked")).toEqual([
    "not_executable",
    `${path.join(first, "locked")} is not executable. Run chmod +x on it, or install it again.`,
  ]);
  expect(why("nowhere")?.[0]).toBe("missing");
  expect(why(first)?.[0]).toBe("directory");
  expect(why(path.join(first, "nowhere"))?.[0]).toBe("missing");
  expect(why("./plain")?.[0]).toBe("relative");
});

test("an unreadable folder on PATH is skipped", () => {
  const loop = path.join(root, "loop");
  symlinkSync(loop, loop);
  expect(findProgram("plain", { PATH: `${loop}:${second}` })).toEqual({ ok: true, path: path.join(second, "plain") });
  expect(findProgram("plain", { PATH: loop })).toMatchObject({ ok: false, why: "missing" });
});

test("the current directory is never searched, even if PATH contains it", () => {
  const before = process.cwd();
  process.chdir(second);
  try {
    expect(findProgram("plain", { PATH: ":.:" })).toMatchObject({ ok: false, why: "missing" });
  } finally {
    process.chdir(before);
  }
});

test("on Windows the extensions of PATHEXT are tried, except batch files, which need a shell", () => {
  const options = { PATH: second, PATHEXT: ".CMD;.EXE", platform: "win32" } as const;
  expect(findProgram("tool", options)).toEqual({ ok: true, path: path.join(second, "tool.EXE") });
  expect(findProgram("plain", options)).toMatchObject({ ok: false, why: "missing" });
});

test("a program inside the session's checkout is found only by its path, not by its name", () => {
  const checkout = path.join(root, "checkout");
  const below = path.join(checkout, "packages", "one");
  const bin = path.join(checkout, "node_modules", ".bin");
  for (const folder of [below, bin, path.join(checkout, ".git")]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(checkout, ".git", "HEAD"), "ref: refs/heads/main\n");
  file(bin, "tool", 0o755);
  const linked = path.join(root, "linked");
  const links = path.join(root, "links");
  symlinkSync(bin, linked);
  mkdirSync(links);
  symlinkSync(path.join(bin, "tool"), path.join(links, "tool"));
  for (const cwd of [checkout, below]) {
    expect(findProgram("tool", { PATH: `${bin}:${linked}:${links}:${second}`, cwd })).toEqual({
      ok: true,
      path: path.join(second, "tool"),
    });
    for (const PATH of [bin, linked, links]) {
      expect(findProgram("tool", { PATH, cwd })).toMatchObject({ ok: false, why: "in_checkout" });
    }
    expect(findProgram(path.join(bin, "tool"), { PATH: "", cwd })).toMatchObject({ ok: true });
  }
  // Outside the checkout it is an ordinary program.
  expect(findProgram("tool", { PATH: bin, cwd: second })).toMatchObject({ ok: true });
});

test("the same holds for the main checkout of a linked worktree and for the parent of a submodule", () => {
  const main = path.join(root, "main");
  const bin = path.join(main, "node_modules", ".bin");
  const worktree = path.join(root, "linked-worktree");
  const submodule = path.join(main, "vendor", "sub");
  for (const folder of [bin, worktree, submodule]) mkdirSync(folder, { recursive: true });
  mkdirSync(path.join(main, ".git", "worktrees", "one"), { recursive: true });
  writeFileSync(path.join(main, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(path.join(worktree, ".git"), `gitdir: ${main}/.git/worktrees/one\n`);
  writeFileSync(path.join(submodule, ".git"), "gitdir: ../../.git/modules/sub\n");
  file(bin, "tool", 0o755);
  for (const cwd of [worktree, submodule]) {
    expect(findProgram("tool", { PATH: bin, cwd })).toMatchObject({ ok: false, why: "in_checkout" });
    expect(findProgram("tool", { PATH: `${bin}:${second}`, cwd })).toMatchObject({ path: path.join(second, "tool") });
    const searched = `${bin}:.::${second}:${first}`;
    expect(withCheckoutLast({ PATH: searched, A: "b" }, cwd)).toEqual({
      PATH: `${second}:${first}:${bin}:.:`,
      A: "b",
    });
  }
});
