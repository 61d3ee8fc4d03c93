import { execFileSync } from "node:child_process";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { findProgram } from "./run-program.ts";
import { gitEnvironment, runGit } from "./git.ts";
import { listFiles } from "./list-files.ts";
import { createTextReader } from "./text-reader.ts";
import { patient } from "../../../test/patience.ts";

const signal = new AbortController().signal;

test("git gets an allow-listed environment: no variable that redirects it or asks the user", () => {
  expect(
    gitEnvironment({
      PATH: "/bin",
      HOME: "/home/x",
      LANG: "C.UTF-8",
      GIT_DIR: "/elsewhere",
      GIT_EXEC_PATH: "/evil",
      GIT_CEILING_DIRECTORIES: "/home",
      SECRET_TOKEN: "s",
    }),
  ).toEqual({
    PATH: "/bin",
    HOME: "/home/x",
    LANG: "C.UTF-8",
    GIT_CEILING_DIRECTORIES: "/home",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
  });
});

test.skipIf(process.platform === "win32")("a repository cannot run code through its own configuration", async () => {
  const root = await scratchTree({ "a.txt": "a" });
  const mark = join(root, "was-run");
  const script = join(root, ".git-evil.sh");
  await writeFile(script, `#!/bin/sh\ntouch '${mark}'\n`);
  await chmod(script, 0o755);
  execFileSync("git", ["init", "-q"], { cwd: root });
  execFileSync("git", ["config", "core.fsmonitor", `'${script}'`], { cwd: root });
  execFileSync("git", ["config", "core.pager", `'${script}'`], { cwd: root });
  // The control: without the guards git does run it, so the test below can fail.
  execFileSync("git", ["ls-files", "-o"], { cwd: root, stdio: "ignore" });
  execFileSync("git", ["status"], { cwd: root, stdio: "ignore" });
  const control = await createTextReader(root).read("was-run");
  expect(control.kind).toBe("text");
  await rm(mark);
  const { paths, by } = await listFiles(root, { signal, reader: createTextReader(root) });
  expect({ paths, by }).toEqual({ paths: [".git-evil.sh", "a.txt"], by: "git" });
});

test("a program is resolved from PATH to an absolute path, never from the working directory", async () => {
  const inside = await scratchTree();
  const elsewhere = await scratchTree();
  for (const directory of [join(inside, "bin"), join(elsewhere, "bin")]) {
    await mkdir(directory);
    await writeFile(join(directory, "tool"), "#!/bin/sh\n");
    await chmod(join(directory, "tool"), 0o755);
  }
  const find = (path: string) => findProgram("tool", { path, cwd: inside });
  const good = join(elsewhere, "bin");
  expect(await find([join(inside, "bin"), "", ".", "bin", good].join(delimiter))).toBe(join(good, "tool"));
  expect(await find(join(inside, "bin"))).toBeUndefined();
  await chmod(join(good, "tool"), 0o644);
  expect(await find(good)).toBeUndefined();
});

test("git results are done, enough, failed or aborted", async () => {
  const root = await scratchTree({ "a.txt": "", "b.txt": "" });
  const run = (args: readonly string[], options: { onOutput?: () => boolean; signal?: AbortSignal } = {}) =>
    runGit({ cwd: root, args, signal, timeoutMs: patient(10_000), onOutput: () => true, ...options });
  const list = ["ls-files", "-z", "--others"];
  expect(await run(list)).toBe("failed");
  execFileSync("git", ["init", "-q"], { cwd: root });
  expect(await run(list)).toBe("done");
  expect(await run(list, { onOutput: () => false })).toBe("enough");
  expect(await run(list, { signal: AbortSignal.abort() })).toBe("aborted");
  const controller = new AbortController();
  // git itself starts a program here, which must go with it.
  const waiting = run(["-c", "alias.wait=!sleep 60", "wait"], { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  expect(await waiting).toBe("aborted");
});

test("git that takes too long is killed", async () => {
  const root = await scratchTree();
  const args = ["-c", "alias.wait=!sleep 60", "wait"];
  expect(await runGit({ cwd: root, args, signal, timeoutMs: 100, onOutput: () => true })).toBe("timed_out");
});
