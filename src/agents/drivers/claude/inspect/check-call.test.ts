import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { checkCall } from "./check-call.ts";

const folder = mkdtempSync(path.join(tmpdir(), "roundtable-inspect-"));
const cwd = path.join(folder, "project");
mkdirSync(path.join(cwd, "sub"), { recursive: true });
writeFileSync(path.join(cwd, "a.txt"), "a");
writeFileSync(path.join(folder, "secret.txt"), "s");
symlinkSync("../secret.txt", path.join(cwd, "way-out"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const argumentsOf = (...argv: string[]): readonly string[] => checkCall(argv, cwd).args;

test("flags that only select what is shown are allowed", () => {
  expect(argumentsOf("git", "log", "--oneline", "-n", "5", "main..dev", "--", "a.txt")).toEqual([
    "--oneline",
    "-n5",
    "main..dev",
    "--",
    "a.txt",
  ]);
  expect(argumentsOf("git", "show", "--stat", "HEAD~2:sub/x")).toEqual(["--stat", "HEAD~2:sub/x"]);
  expect(argumentsOf("git", "blame", "-L", "1,5", "a.txt")).toEqual(["-L1,5", "a.txt"]);
  expect(argumentsOf("git", "diff", "--cached")).toEqual(["--cached"]);
  expect(argumentsOf("git", "status", "-sb")).toEqual(["-sb"]);
  expect(argumentsOf("ls", "-la", "sub")).toEqual(["-la", "--", "sub"]);
  expect(argumentsOf("ls")).toEqual(["--"]);
  expect(argumentsOf("wc", "-l", "a.txt")).toEqual(["-l", "--", "a.txt"]);
  expect(argumentsOf("head", "-n", "3", "a.txt")).toEqual(["-n3", "--", "a.txt"]);
});

const DENIED: readonly string[][] = [
  [],
  [""],
  ["rm", "a.txt"],
  ["sh", "-c", "id"],
  ["/bin/ls"],
  ["./git", "log"],
  ["git"],
  ["git", "commit", "-m", "x"],
  ["git", "-c", "core.pager=id", "log"],
  ["git", "-C", "..", "log"],
  ["git", "--git-dir=x", "log"],
  ["git", "--exec-path=.", "log"],
  ["git", "toString"],
  ["git", "log", "--output=x"],
  ["git", "log", "--outp=x"],
  ["git", "log", "--output", "x"],
  ["git", "log", "-ox"],
  ["git", "log", "--ext-diff"],
  ["git", "log", "--textconv"],
  ["git", "log", "--show-signature"],
  ["git", "log", "--alternate-refs"],
  ["git", "log", "--submodule=diff"],
  ["git", "log", "--stdin"],
  ["git", "log", "-n", "--output=x"],
  ["git", "log", "-O/etc/passwd"],
  ["git", "show", "--oneline\n--output=x"],
  ["git", "diff", "--no-index", "a.txt", "sub"],
  ["git", "diff", "/etc/passwd", "/etc/group"],
  ["git", "diff", "a.txt", "../secret.txt"],
  ["git", "diff", "--", "../secret.txt"],
  ["git", "diff", "sub/../../secret.txt"],
  ["git", "blame", "--contents", "/etc/passwd", "a.txt"],
  ["git", "blame", "--ignore-revs-file=x", "a.txt"],
  ["git", "status", "-v"],
  ["git", "status", "--ignore-submodules=none"],
  ["ls", "--hyperlink"],
  ["ls", ".."],
  ["ls", "/"],
  ["ls", "-w", ".."],
  ["wc", "--files0-from=a.txt"],
  ["wc", "way-out"],
  ["wc"],
  ["head", "../secret.txt"],
  ["head", "--", "way-out"],
  ["head", "sub"],
  ["head", "/dev/stdin"],
  ["head", "missing.txt"],
  ["head", "a.txt\0"],
  ["head", "-n", "-1", "a.txt"],
  ["head", ...Array.from({ length: 200 }, () => "a.txt")],
  ["head", "x".repeat(2_000)],
];

test.each(DENIED.map((argv) => [argv.join(" ").slice(0, 60), argv] as const))("%s is not run", (_name, argv) => {
  expect(() => checkCall(argv, cwd)).toThrow();
});
