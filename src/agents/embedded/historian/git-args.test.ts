import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { blameArgs, blobArgs, commitArgs, logArgs, patchArgs } from "./git-args.ts";

const ID = "0123456789abcdef0123456789abcdef01234567";

test("[A101] whatever a question, an author or a path says, no word before -- begins with it, and none has a NUL", () => {
  const plain = new Set(
    [
      logArgs({ count: 5, grep: ["a"], pickaxe: "a", author: "a", paths: ["a"] }),
      patchArgs(ID, { pickaxe: "a", paths: ["a"] }),
      blameArgs("a", { first: 1, last: 2 }),
      blobArgs("a"),
    ].map((args) => args.length),
  );
  assert(
    property(string({ unit: "binary", minLength: 1 }), (text) => {
      const calls = [
        logArgs({ count: 5, grep: [text], pickaxe: text, author: text, paths: [text] }),
        patchArgs(ID, { pickaxe: text, paths: [text] }),
        blameArgs(text, { first: 1, last: 2 }),
        blobArgs(text),
      ];
      for (const args of calls) {
        const end = args.includes("--") ? args.indexOf("--") : args.length;
        const shown = text.replaceAll("\0", "\uFFFD");
        const own = args.slice(0, end).filter((word) => word.endsWith(shown) && word !== shown);
        for (const word of own) expect(word).toMatch(/^(?:--grep=|--author=|-S|HEAD:\.\/|-)/);
        expect(args.join("").includes("\0")).toBe(false);
        expect(plain.has(args.length) || text.startsWith(":(glob)")).toBe(true);
      }
    }),
  );
});

test("[A101] only hexadecimal ids name a commit", () => {
  for (const id of ["--output=x", "HEAD", "main", "abc", ""]) {
    expect(() => commitArgs([id])).toThrow("is not the id of a commit.");
    expect(() => patchArgs(id, {})).toThrow("is not the id of a commit.");
  }
  expect(commitArgs([ID])).toContain(`${ID}^{commit}`);
});

test("[A102] a change is read without external programs, and lines are blamed as committed", () => {
  expect(logArgs({ count: 1 })).toEqual(
    expect.arrayContaining(["--no-ext-diff", "--no-textconv", "--no-show-signature"]),
  );
  expect(patchArgs(ID, {})).toEqual(expect.arrayContaining(["--no-ext-diff", "--no-textconv", "--no-show-signature"]));
  expect(blameArgs("a", { first: 1, last: 2 })).toEqual(expect.arrayContaining(["--no-textconv", "HEAD"]));
});
