/** Editors as small programs that record their arguments. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { patient } from "../../../test/patience.ts";
import { createFileEditor } from "./file-editor.ts";

function setUp() {
  const directory = mkdtempSync(path.join(tmpdir(), "roundtable-editor-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = path.join(directory, "it's a file.ts");
  writeFileSync(file, "one\ntwo\n");
  const given = path.join(directory, "given");
  /** A program of that name, and its recorded arguments. */
  const install = (name: string) => {
    const program = path.join(directory, name);
    writeFileSync(program, `#!/bin/sh\nprintf '%s|' "$@" > "${given}.new"\nmv "${given}.new" "${given}"\n`);
    chmodSync(program, 0o755);
    return program;
  };
  return { file, given, install, directory };
}

test.each([
  ["vim", (file: string) => `+7|${file}|`, true],
  ["nano", (file: string) => `+7|${file}|`, true],
  ["emacs", (file: string) => `+7|${file}|`, true],
  ["hx", (file: string) => `${file}:7|`, true],
  ["code", (file: string) => `-g|${file}:7|`, false],
  ["zed", (file: string) => `${file}:7|`, false],
  ["subl", (file: string) => `${file}:7|`, false],
  ["idea", (file: string) => `--line|7|${file}|`, false],
  ["my-editor", (file: string) => `${file}|`, true],
])("%s is given the line in its own form", async (name, args, needsTerminal) => {
  const { file, given, install } = setUp();
  const editor = createFileEditor({ VISUAL: install(name), EDITOR: "false" })(file, 7);
  expect(editor.needsTerminal).toBe(needsTerminal);
  await editor.open();
  const read = () => readFileSync(given, "utf8");
  await expect.poll(read, { timeout: patient(5_000) }).toBe(args(file));
});

test("arguments in $EDITOR are kept, and a file without a line number is passed alone", async () => {
  const { file, given, install } = setUp();
  await createFileEditor({ EDITOR: `env LANG=C ${install("nvim")} -p` })(file, undefined).open();
  expect(readFileSync(given, "utf8")).toBe(`-p|${file}|`);
});

test("emacs needs the terminal only when it opens no window", () => {
  const needs = (EDITOR: string, more = {}) => createFileEditor({ EDITOR, ...more })("/a", 1).needsTerminal;
  expect(needs("emacs", { DISPLAY: ":0" })).toBe(false);
  expect(needs("emacs -nw", { DISPLAY: ":0" })).toBe(true);
  expect([needs("emacsclient -t"), needs("emacsclient -n")]).toEqual([true, false]);
});

test("an editor that cannot start and a missing file are reported", async () => {
  const { file, directory } = setUp();
  const missing = createFileEditor({ EDITOR: path.join(directory, "code") })(file, 1).open();
  await expect(missing).rejects.toThrow(/ended with exit code 127\. Set VISUAL or EDITOR\.$/);
  await expect(createFileEditor({ EDITOR: "true" })(`${file}.gone`, 1).open()).rejects.toThrow("There is no file");
});
