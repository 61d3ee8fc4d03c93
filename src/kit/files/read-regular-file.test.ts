import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { NotAFile } from "./read-beginning.ts";
import { readRegularFile } from "./read-regular-file.ts";

test.skipIf(process.platform === "win32")(
  "pipes, devices, directories and huge files are refused without a wait",
  () => {
    const root = mkdtempSync(path.join(tmpdir(), "rt-read-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const at = (name: string) => path.join(root, name);
    execFileSync("mkfifo", [at("pipe")]);
    symlinkSync("/dev/zero", at("zeros"));
    writeFileSync(at("huge"), "");
    truncateSync(at("huge"), 2 ** 33);
    for (const name of ["pipe", "zeros", "", "huge"]) expect(() => readRegularFile(at(name))).toThrow(NotAFile);
    writeFileSync(at("file"), "text");
    symlinkSync("file", at("link"));
    expect([readRegularFile(at("file")), readRegularFile(at("link"))].map(String)).toEqual(["text", "text"]);
    expect(() => readRegularFile(at("none"))).toThrow("ENOENT");
  },
);
