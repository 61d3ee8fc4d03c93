import { mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFileAtomic } from "../../../kit/files/atomic-file.ts";
import { inDirectory } from "./held-directory.ts";
import { resolveWritablePath } from "./resolve-path.ts";

function scratch(): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-held-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ["work/sub", "outside"]) mkdirSync(path.join(root, name), { recursive: true });
  return root;
}

test.skipIf(process.platform !== "linux")("a directory that becomes a link meanwhile leads nowhere else", async () => {
  const root = scratch();
  const [sub, moved, outside] = ["work/sub", "work/moved", "outside"].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ];
  await inDirectory(sub, async (held) => {
    renameSync(sub, moved);
    symlinkSync(outside, sub);
    await writeFileAtomic(`${held}/new.txt`, "x");
  });
  expect([readdirSync(outside), readdirSync(moved)]).toEqual([[], ["new.txt"]]);
  await expect(inDirectory(sub, () => Promise.resolve())).rejects.toThrow(/ELOOP|ENOTDIR/);
  const below = path.join(sub, "deep");
  mkdirSync(path.join(outside, "deep"));
  await expect(inDirectory(below, () => Promise.resolve())).rejects.toThrow("has become a link");
});

test.each([".git/hooks/x", "a/.GIT/x", "a/.git./x", "a/.g\u200Cit/x", "GIT~1/config"])(
  "%j belongs to git, on every file system",
  async (name) => {
    const root = scratch();
    await expect(resolveWritablePath(path.join(root, "work"), name)).rejects.toThrow("belongs to git");
  },
);
