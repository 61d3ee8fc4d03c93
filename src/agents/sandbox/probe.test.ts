import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { probeSandbox } from "./probe.ts";

/** A `bwrap` of our own on PATH. */
function bwrapThat(script: string): { directory: string; PATH: string } {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-probe-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = path.join(directory, "bwrap");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { directory, PATH: directory };
}

const probe = (PATH: string) => probeSandbox({ PATH, platform: "linux" });

test("a system without bwrap has no sandbox, and neither has Windows", async () => {
  expect(await probe("/nonexistent")).toMatchObject({
    available: false,
    reason: "bwrap (bubblewrap) is not installed.",
  });
  expect(await probeSandbox({ platform: "win32" })).toMatchObject({ available: false });
});

test("a bwrap that does not know a flag, or may not mount /proc, is used without", async () => {
  const old = bwrapThat(
    'case "$*" in *--disable-userns*) echo "bwrap: Unknown option --disable-userns" >&2; exit 1;; esac',
  );
  expect(await probe(old.PATH)).toMatchObject({ bwrap: { canDisableUserns: false, canMountProc: true } });
  const contained = bwrapThat(
    `case "$*" in *--proc*) echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1;; esac`,
  );
  expect(await probe(contained.PATH)).toMatchObject({ bwrap: { canDisableUserns: true, canMountProc: false } });
});

test("what bwrap says when it does not work is kept, and it is asked once", async () => {
  const { directory, PATH } = bwrapThat(
    'echo x >> "$(dirname "$0")/asked"; echo "bwrap: setting up uid map: Permission denied" >&2; exit 1',
  );
  const reason = "bwrap does not work here: setting up uid map: Permission denied";
  expect([await probe(PATH), await probe(PATH)]).toMatchObject([
    { available: false, reason },
    { available: false, reason },
  ]);
  expect(readFileSync(path.join(directory, "asked"), "utf8")).toBe("x\n");
});

test("a bwrap in the checkout that a session is about is not used", async () => {
  const { directory, PATH } = bwrapThat("exit 0");
  mkdirSync(path.join(directory, ".git"));
  writeFileSync(path.join(directory, ".git", "HEAD"), "");
  expect(await probeSandbox({ PATH, cwd: directory, platform: "linux" })).toMatchObject({ available: false });
});
