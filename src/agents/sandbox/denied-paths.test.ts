import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { parseRule, type Rule } from "../approvals/rule.ts";
import { deniedPathsIn } from "./denied-paths.ts";

function tree(...files: string[]): string {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-denied-")));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), "");
  }
  return root;
}

const deny = (...texts: string[]): Rule[] => texts.flatMap((text) => parseRule(text, "deny") ?? []);

function denied(root: string, ...texts: string[]): string[] {
  return deniedPathsIn(deny(...texts), root)
    .map((paths) => path.relative(root, paths))
    .toSorted();
}

test("paths that a rule denies changes of are found, whatever their case", () => {
  const root = tree("Secret.txt", "a/secret.txt", "a/b/secret.txt", "other.txt");
  expect(denied(root, "edit: secret.txt")).toEqual(["Secret.txt"]);
  expect(denied(root, "write: **/secret.txt")).toEqual(["Secret.txt", "a/b/secret.txt", "a/secret.txt"]);
  expect(denied(root, "Edit: a/*/secret.*")).toEqual(["a/b/secret.txt"]);
  expect(denied(root, "*: other.txt")).toEqual(["other.txt"]);
  expect(denied(root, `edit: ${path.join(root, "other.txt")}`)).toEqual(["other.txt"]);
});

test("a directory is closed as a whole", () => {
  const root = tree("keys/one", "keys/deep/two", "src/keys/three");
  expect(denied(root, "edit: keys/**")).toEqual(["keys"]);
  expect(denied(root, "edit: **/keys/**")).toEqual(["keys", "src/keys"]);
  expect(denied(root, "edit: **")).toEqual(["keys", "src"]);
});

test("rules about commands, without a pattern, or that do not deny close nothing", () => {
  const root = tree("rm", "secret.txt");
  expect(denied(root, "shell: rm", "edit", "read: secret.txt", "edit: missing", "edit: missing/**")).toEqual([]);
  expect(
    deniedPathsIn(
      [parseRule("edit: secret.txt", "ask")].flatMap((rule) => rule ?? []),
      root,
    ),
  ).toEqual([]);
});

test("a rule's path with dots or links is closed where it leads", () => {
  const root = tree("secret.txt", "keys/one");
  symlinkSync("keys", path.join(root, "safe"));
  expect(denied(root, "edit: ./secret.txt")).toEqual(["secret.txt"]);
  expect(denied(root, "edit: keys/../secret.txt")).toEqual(["secret.txt"]);
  expect(denied(root, "edit: safe/one", "edit: safe/*")).toEqual(["safe/one"]);
});

test("links to directories are not followed, and very many files end the search", () => {
  const root = tree("a/secret.txt", ...Array.from({ length: 400 }, (_, index) => `many/${index}.txt`));
  symlinkSync(root, path.join(root, "a", "loop"));
  expect(denied(root, "edit: **/secret.txt")).toEqual(["a/secret.txt"]);
  expect(denied(root, "edit: many/*")).toHaveLength(256);
});
