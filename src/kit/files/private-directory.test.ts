import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
  existsSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { entryOfOtherUser, whyNotPrivate, makeDirectory } from "./private-directory.ts";

const NOBODY = 65_534;
const asRoot = test.skipIf(process.getuid?.() !== 0);

function scratch(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "private-")));
}

function made(name: string, mode = 0o700): string {
  const directory = path.join(scratch(), name);
  mkdirSync(directory);
  chmodSync(directory, mode);
  return directory;
}

test("a directory of this user is private, also when others can read it or it does not exist yet", () => {
  expect(whyNotPrivate(made("data"))).toBeUndefined();
  expect(whyNotPrivate(made("data", 0o755))).toBeUndefined();
  expect(whyNotPrivate(path.join(made("data"), "not", "there"))).toBeUndefined();
});

test.each([0o777, 0o702, 0o1777])("a directory that others can write is not private (%i)", (mode) => {
  const directory = made("a b's", mode);
  const nextStats = whyNotPrivate(directory);
  expect(nextStats?.problem).toMatch(/^can be written by other users: its mode is [01]7[07][27]$/);
  expect(nextStats?.fix).toBe(`Run \`chmod 700 '${directory.replace("'", String.raw`'\''`)}'\``);
});

asRoot("a group may write only when it is the user's own", () => {
  const directory = made("data", 0o770);
  expect(whyNotPrivate(directory)).toBeUndefined();
  chownSync(directory, 0, NOBODY);
  expect(whyNotPrivate(directory)?.problem).toContain("can be written by other users: its mode is 0770");
});

asRoot("one that another user owns is not private", () => {
  const directory = made("data");
  chownSync(directory, NOBODY, NOBODY);
  expect(whyNotPrivate(directory)?.problem).toBe(`belongs to another user, uid ${NOBODY}`);
});

test("below a world-writable directory it can be replaced; below one with the sticky bit it cannot", () => {
  const open = made("open", 0o777);
  mkdirSync(path.join(open, "data"), { mode: 0o700 });
  expect(whyNotPrivate(path.join(open, "data"))).toEqual({
    problem: `is in ${open}, where any user can replace it`,
    fix: `Run \`chmod o-w ${open}\`, or choose another directory`,
  });
  expect(whyNotPrivate(path.join(open, "new"))?.problem).toContain("any user can replace it");
  chmodSync(open, 0o1777);
  expect(whyNotPrivate(path.join(open, "data"))).toBeUndefined();
});

test("the user's own links are followed, and their targets checked", () => {
  const directory = made("data");
  const link = path.join(scratch(), "link");
  symlinkSync(path.dirname(directory), link);
  expect(whyNotPrivate(path.join(link, "data"))).toBeUndefined();
  chmodSync(directory, 0o777);
  expect(whyNotPrivate(path.join(link, "data"))?.fix).toBe(`Run \`chmod 700 ${directory}\``);
});

asRoot("a link that another user made, or could have made, is not followed", async () => {
  const { lchownSync } = await import("node:fs");
  const directory = made("data");
  const shared = made("shared", 0o1777);
  const link = path.join(shared, "link");
  symlinkSync(directory, link);
  expect(whyNotPrivate(link)).toBeUndefined();
  lchownSync(link, NOBODY, NOBODY);
  const problem = `is reached through the link ${link}, which another user could have made`;
  for (const one of [link, path.join(link, "below")]) expect(whyNotPrivate(one)?.problem).toBe(problem);
  lchownSync(link, 0, 0);
  chmodSync(shared, 0o770);
  chownSync(shared, 0, NOBODY);
  expect(whyNotPrivate(link)?.problem).toBe(problem);
  chmodSync(shared, 0o755);
  chownSync(shared, NOBODY, NOBODY);
  expect(whyNotPrivate(link)?.problem).toBe(problem);
});

test("circular links end with the system's error", () => {
  const link = path.join(scratch(), "round");
  symlinkSync(link, link);
  expect(() => whyNotPrivate(link)).toThrow("too many links");
});

asRoot("an entry that another user left in a directory is named", () => {
  const directory = made("data");
  writeFileSync(path.join(directory, "token"), "");
  expect(entryOfOtherUser(directory)).toBeUndefined();
  chownSync(path.join(directory, "token"), NOBODY, NOBODY);
  expect(entryOfOtherUser(directory)).toBe(path.join(directory, "token"));
});

test("a directory is created with its parents, once", () => {
  const root = mkdtempSync(path.join(tmpdir(), "rt-make-"));
  const deep = path.join(root, "a", "b");
  expect([makeDirectory(deep, 0o700), makeDirectory(deep, 0o700)]).toEqual([true, false]);
  expect(statSync(deep).isDirectory()).toBe(true);
  writeFileSync(path.join(root, "file"), "");
  expect(() => makeDirectory(path.join(root, "file", "below"), 0o700)).toThrow("ENOTDIR");
});

test.skipIf(!existsSync("/proc/self"))("where no directory can be made, that is said at once", () => {
  expect(() => makeDirectory("/proc/nodir/data", 0o700)).toThrow("ENOENT");
});
