/** What a read-only Claude has instead of a shell, in a repository that is set up to run something at every turn. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkCall } from "../../../src/agents/drivers/claude/inspect/check-call.ts";
import { runInspection } from "../../../src/agents/drivers/claude/inspect/inspect-tool.ts";
import { makeDataDir, removeDataDir } from "../process/start-fake.ts";

const dataDir = makeDataDir();
const cwd = path.join(dataDir, "project");
const mark = path.join(dataDir, "was-run");
const script = path.join(dataDir, "evil.sh");
const { signal } = new AbortController();
const inspect = (...argv: string[]): Promise<string> => runInspection(checkCall(argv, cwd), { cwd, signal });
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });

beforeAll(() => {
  mkdirSync(cwd);
  git("init", "-q", "-b", "main");
  writeFileSync(path.join(cwd, "a.txt"), "one\n");
  writeFileSync(path.join(cwd, ".gitattributes"), "*.txt filter=evil diff=evil\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  writeFileSync(path.join(cwd, "a.txt"), "two\n");
});
afterAll(() => removeDataDir(dataDir));

describe.skipIf(process.platform === "win32")("inspect", () => {
  test("shows history, changes, files and what went wrong", async () => {
    expect(await inspect("git", "log", "--format=%s")).toBe("first\n");
    expect(await inspect("git", "diff")).toContain("-one\n+two");
    expect(await inspect("git", "show", "HEAD:a.txt")).toBe("one\n");
    expect(await inspect("git", "status", "--short")).toBe(" M a.txt\n");
    expect(await inspect("git", "blame", "-s", "a.txt")).toContain("two");
    expect(await inspect("ls")).toBe("a.txt\n");
    expect(await inspect("wc", "-l", "a.txt")).toMatch(/^\s*1 a\.txt\n$/);
    expect(await inspect("head", "-n1", "a.txt")).toBe("two\n");
    await expect(inspect("git", "show", "nowhere")).rejects.toThrow(/unknown revision|ambiguous argument/);
  });

  test("runs nothing that a repository configures, and writes nothing", async () => {
    writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`);
    chmodSync(script, 0o755);
    for (const key of [
      "core.fsmonitor",
      "core.pager",
      "pager.log",
      "diff.external",
      "diff.evil.textconv",
      "diff.evil.command",
      "filter.evil.clean",
      "filter.evil.process",
      "filter.x.y.clean",
      "gpg.program",
      "gpg.openpgp.program",
      "gpg.ssh.program",
      "core.sshCommand",
      "core.alternateRefsCommand",
    ]) {
      git("config", key, script);
    }
    git("config", "format.pretty", "%h %G? %GS");
    git("config", "log.showSignature", "true");
    const signed = git("cat-file", "commit", "HEAD").replace(
      /(committer .*\n)/,
      "$1gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n",
    );
    const id = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], { cwd, input: signed });
    git("update-ref", "refs/heads/main", id.toString().trim());
    // Without our settings git does run it, so that the test can fail.
    for (const args of [["diff"], ["status"], ["log", "-1"]]) {
      execFileSync("rm", ["-f", mark]);
      execFileSync("git", args, { cwd, stdio: "ignore" });
      expect([args, existsSync(mark)]).toEqual([args, true]);
    }
    execFileSync("rm", ["-f", mark]);
    const index = path.join(cwd, ".git", "index");
    const before = [readFileSync(index).toString("hex"), statSync(index).mtimeMs];
    const told = await Promise.allSettled([
      inspect("git", "log", "-p"),
      inspect("git", "log", "-S", "one"),
      inspect("git", "log", "--format=%G? %GK"),
      inspect("git", "show", "--stat"),
      inspect("git", "diff"),
      inspect("git", "diff", "HEAD", "--stat"),
      inspect("git", "status"),
      inspect("git", "blame", "a.txt"),
    ]);
    expect(told.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(existsSync(mark)).toBe(false);
    expect([readFileSync(index).toString("hex"), statSync(index).mtimeMs]).toEqual(before);
  });

  test("text over the limit is truncated with a mark", async () => {
    writeFileSync(path.join(cwd, "long.log"), "x".repeat(200_000));
    const text = await inspect("head", "-c", "200000", "long.log");
    expect(text).toContain("[cut after 65536 bytes");
    expect(text.length).toBeLessThan(66_000);
  });
});
