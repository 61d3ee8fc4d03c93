import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { assertOwnFile, loadOwnFile, openOwnFile, readOwnFile } from "./own-file.ts";

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;
/** The system's flag, and none as on Windows. */
const WAYS = [{ noFollow: constants.O_NOFOLLOW }, { noFollow: 0 }];

function scratch(): { directory: string; file: string; link: string } {
  const directory = mkdtempSync(path.join(tmpdir(), "own-"));
  const [file, link] = [path.join(directory, "file"), path.join(directory, "link")];
  writeFileSync(file, "kept\n");
  symlinkSync(file, link);
  return { directory, file, link };
}

test.each(WAYS)("a link is neither read, written nor replaced (%j)", (way) => {
  const { directory, file, link } = scratch();
  const dangling = path.join(directory, "dangling");
  symlinkSync(path.join(directory, "made"), dangling);
  for (const flags of [O_RDONLY, O_RDWR | O_APPEND, O_RDWR | O_APPEND | O_CREAT]) {
    expect(() => openOwnFile(link, flags, way)).toThrow(`${link} is a symbolic link; not opened`);
    expect(() => openOwnFile(dangling, flags, way)).toThrow("is a symbolic link");
  }
  expect(readFileSync(file, "utf8")).toBe("kept\n");
  expect(lstatSync(path.join(directory, "made"), { throwIfNoEntry: false })).toBeUndefined();
});

test.each(WAYS)("pipes do not block, and directories are rejected (%j)", (way) => {
  const { directory } = scratch();
  const pipe = path.join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const one of [pipe, directory]) expect(() => openOwnFile(one, O_RDONLY, way)).toThrow("is not a regular file");
});

test.each(WAYS)("a regular file is opened, and created when missing (%j)", async (way) => {
  const { directory, file } = scratch();
  closeSync(openOwnFile(file, O_RDWR, way));
  closeSync(openOwnFile(path.join(directory, "new"), O_RDWR | O_CREAT, { ...way, mode: 0o600 }));
  expect(lstatSync(path.join(directory, "new")).mode & 0o777).toBe(0o600);
  expect(() => openOwnFile(path.join(directory, "none"), O_RDONLY, way)).toThrow("ENOENT");
  expect(readOwnFile(file)).toBe("kept\n");
  expect((await loadOwnFile(file)).toString()).toBe("kept\n");
});

test.skipIf(process.getuid?.() !== 0)("a file of another user is not opened", () => {
  const { file } = scratch();
  chownSync(file, 65_534, 65_534);
  expect(() => readOwnFile(file)).toThrow(`${file} belongs to another user; not opened`);
});

test("a file that a library opens by name is checked first", () => {
  const { directory, file, link } = scratch();
  expect(() => assertOwnFile(link)).toThrow("is a symbolic link");
  expect(() => assertOwnFile(directory)).toThrow("is not a regular file");
  assertOwnFile(file);
  assertOwnFile(path.join(directory, "none"));
});
