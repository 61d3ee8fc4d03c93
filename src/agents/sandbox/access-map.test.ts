import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AccessMap } from "./access-map.ts";

function tree(...names: string[]): (name?: string) => string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-access-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of names) {
    if (!name.endsWith("/")) mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    if (name.endsWith("/")) mkdirSync(path.join(root, name), { recursive: true });
    else writeFileSync(path.join(root, name), "");
  }
  return (name = "") => path.join(root, name);
}

const shown = (access: AccessMap, root: string): string[] =>
  access.mounts().map(({ path: file, access: what, isPin }) => {
    const name = path.relative(root, file) || ".";
    return `${file === "/" ? "/" : name} ${isPin === true ? "pin" : what}`;
  });

test("the most specific path decides, and what changes nothing is left out", () => {
  const at = tree("a/b/c/", "a/b/file", "x/");
  const access = new AccessMap();
  access.set(at("x"), "read");
  access.set(at("a/b/c"), "write");
  access.set(at("a"), "hidden");
  access.set(at("a/b/file"), "read");
  access.set(at("nothing"), "write");
  expect(shown(access, at())).toEqual(["/ read", "a hidden", "a/b/c write", "a/b/file read"]);
  expect([access.accessOf(at("a/b")), access.accessOf(at("a/b/c/new")), access.accessOf("/etc")]).toEqual([
    "hidden",
    "write",
    "read",
  ]);
});

test("parents of closed paths inside something writable cannot be moved", () => {
  const at = tree("work/deep/er/.claude/settings.json", "work/.git/config", "work/src/");
  const access = new AccessMap();
  access.set(at("work"), "write");
  access.close(at("work/deep/er/.claude"));
  access.close(at("work/.git/config"));
  expect(shown(access, at()).toSorted()).toEqual([
    "/ read",
    "work write",
    "work/.git pin",
    "work/.git/config read",
    "work/deep pin",
    "work/deep/er pin",
    "work/deep/er/.claude read",
  ]);
});

test("closing follows links, but never affects paths outside the writable ones", () => {
  const at = tree("work/real.md", "home/.ssh/id");
  symlinkSync(at("home/.ssh/id"), at("work/AGENTS.md"));
  symlinkSync(at("work/real.md"), at("work/CLAUDE.md"));
  const access = new AccessMap();
  access.set(at("work"), "write");
  access.set(at("home/.ssh"), "hidden");
  access.close(at("work/AGENTS.md"));
  access.close(at("work/CLAUDE.md"));
  expect(shown(access, at())).toEqual(["/ read", "work write", "home/.ssh hidden", "work/real.md read"]);
});
