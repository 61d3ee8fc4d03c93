import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Cover } from "../../agents/index.ts";
import { createAlwaysAllowedFile } from "./always-allowed-file.ts";

function temporaryFile(): {
  file: string;
  directory: string;
  warnings: string[];
  open: () => ReturnType<typeof createAlwaysAllowedFile>;
} {
  const home = mkdtempSync(path.join(tmpdir(), "rt-always-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const directory = path.join(home, "roundtable");
  const file = path.join(directory, "approvals.json");
  const warnings: string[] = [];
  return {
    file,
    directory,
    warnings,
    open: () => createAlwaysAllowedFile({ file, warn: (one) => void warnings.push(one) }),
  };
}

const ls: Cover = { tool: "shell", kind: "command", text: "ls" };
const edit: Cover = { tool: "edit", kind: "path", text: "src/a.ts" };

test("[H90] permanent grants are stored per directory, in a file only the user can read, and seen by other processes", async () => {
  const { file, directory, warnings, open } = temporaryFile();
  const [mine, theirs] = [open(), open()];
  expect(theirs.has(ls, "/a")).toBe(false);
  await Promise.all([mine.add([ls], "/a"), mine.add([edit], "/b"), mine.add([ls], "/a")]);
  expect([
    theirs.has(ls, "/a"),
    theirs.has(edit, "/b"),
    theirs.has(ls, "/b"),
    theirs.has({ ...ls, text: "ls -l" }, "/a"),
  ]).toEqual([true, true, false, false]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    version: 1,
    allowed: [
      { ...ls, cwd: "/a" },
      { ...edit, cwd: "/b" },
    ],
  });
  expect([statSync(file).mode & 0o777, statSync(directory).mode & 0o777]).toEqual([0o600, 0o700]);
  expect([readdirSync(directory), warnings]).toEqual([["approvals.json"], []]);
});

test.each([
  ["torn", '{"version":1,"allo', "Unterminated string in JSON"],
  ["of another version", '{"version":2,"allowed":[]}', "`version` must be 1."],
  ["a list", "[]", "the file must be an object."],
  [
    "of another shape",
    '{"version":1,"allowed":[{"tool":"shell","kind":"call","text":"ls"}]}',
    "`allowed[0].cwd` is missing.",
  ],
  ["too long", `"${"x".repeat(1024 * 1024)}"`, "it has 1048578 bytes; the limit is 1048576"],
])(
  "[H91] a file that is %s is reported once and allows nothing; it is moved aside by the next grant",
  async (_how, text, why) => {
    const { file, directory, warnings, open } = temporaryFile();
    const always = open();
    await always.add([ls], "/a");
    writeFileSync(file, text);
    expect([always.has(ls, "/a"), always.has(edit, "/a")]).toEqual([false, false]);
    expect(warnings).toEqual([expect.stringContaining(`permanent approvals in ${file} are ignored: ${why}`)]);
    await always.add([edit], "/a");
    expect([always.has(ls, "/a"), always.has(edit, "/a"), warnings.length]).toEqual([false, true, 1]);
    const aside = readdirSync(directory).find((name) => name.endsWith(".damaged")) ?? "";
    expect(readFileSync(path.join(directory, aside), "utf8")).toBe(text);
  },
);

test("[H91] a file that others can write to allows nothing", async () => {
  const { file, warnings, open } = temporaryFile();
  const always = open();
  await always.add([ls], "/a");
  chmodSync(file, 0o620);
  expect(always.has(ls, "/a")).toBe(false);
  expect(warnings).toEqual([expect.stringContaining("other users can write to it")]);
});

test("[H91] a failed write is reported to the caller, and the next one is tried again", async () => {
  const { directory, open } = temporaryFile();
  writeFileSync(directory, "in the way");
  const always = open();
  await expect(always.add([ls], "/a")).rejects.toThrow(/EEXIST|ENOTDIR/);
  rmSync(directory);
  await always.add([ls], "/a");
  expect(always.has(ls, "/a")).toBe(true);
});

test("grants of a directory are listed oldest first, and a revoked one disappears for every process", async () => {
  const { file, open } = temporaryFile();
  const [mine, theirs] = [open(), open()];
  await mine.add([ls, edit], "/a");
  await mine.add([ls], "/b");
  expect([mine.file, theirs.list("/a"), theirs.list("/b"), theirs.list("/c")]).toEqual([file, [ls, edit], [ls], []]);
  await Promise.all([mine.add([edit], "/b"), mine.remove(ls, "/a"), mine.remove(ls, "/nowhere")]);
  expect([theirs.list("/a"), theirs.list("/b"), theirs.has(ls, "/a")]).toEqual([[edit], [ls, edit], false]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("revoking from a damaged file leaves it unchanged, and a failed write is reported", async () => {
  const { file, directory, open } = temporaryFile();
  const always = open();
  await always.add([ls], "/a");
  writeFileSync(file, "{");
  await always.remove(ls, "/a");
  expect([readFileSync(file, "utf8"), readdirSync(directory), always.list("/a")]).toEqual([
    "{",
    ["approvals.json"],
    [],
  ]);
  // No temporary file fits beside a name of this length.
  const long = path.join(directory, "a".repeat(250));
  writeFileSync(long, JSON.stringify({ version: 1, allowed: [{ ...ls, cwd: "/a" }] }), { mode: 0o600 });
  const full = createAlwaysAllowedFile({ file: long, warn: (one) => expect.fail(one) });
  await expect(full.remove(ls, "/a")).rejects.toThrow("ENAMETOOLONG");
  expect(full.list("/a")).toEqual([ls]);
});
