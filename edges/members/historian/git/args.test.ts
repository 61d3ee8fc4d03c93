import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { blameArgs, blobArgs, commitArgs, logArgs, patchArgs } from "./args.ts";

const ID = "0123456789abcdef0123456789abcdef01234567";

const callsWith = (text: string) => [
  logArgs({ count: 5, grep: [text], pickaxe: text, author: text, paths: [text] }),
  patchArgs(ID, { pickaxe: text, paths: [text] }),
  blameArgs(text, { first: 1, last: 2 }),
  blobArgs(text),
];

test("no question, author or path starts an argument before --, and no argument contains NUL", () => {
  const mark = "<text>";
  const marked = callsWith(mark);
  for (const args of marked) {
    const end = args.includes("--") ? args.indexOf("--") : args.length;
    const own = args.slice(0, end).filter((word) => word.includes(mark));
    for (const word of own) expect(word).toMatch(/^(?:--grep=|--author=|-S|HEAD:\.\/)<text>$/);
  }
  assert(
    property(string({ unit: "binary", minLength: 1 }), (text) => {
      const shown = text.replaceAll("\0", "\uFFFD");
      const isGlob = text.startsWith(":(glob)");
      const expected = marked.map((args) => args.map((word) => word.replace(mark, () => shown)));
      if (isGlob) expected[0] = expected[0]!.filter((word) => word !== "--literal-pathspecs");
      expect(callsWith(text)).toEqual(expected);
    }),
    { examples: [["b"], ["-b"], ["--output=x"], ["a\0b"], [":(glob)*"], ["--"], ["$&"]] },
  );
});

test("only hexadecimal ids name a commit", () => {
  for (const id of ["--output=x", "HEAD", "main", "abc", ""]) {
    expect(() => commitArgs([id])).toThrow("is not the id of a commit.");
    expect(() => patchArgs(id, {})).toThrow("is not the id of a commit.");
  }
  expect(commitArgs([ID])).toContain(`${ID}^{commit}`);
});

test("diffs are read without external programs, and lines are blamed as committed", () => {
  expect(logArgs({ count: 1 })).toEqual(
    expect.arrayContaining(["--no-ext-diff", "--no-textconv", "--no-show-signature"]),
  );
  expect(patchArgs(ID, {})).toEqual(expect.arrayContaining(["--no-ext-diff", "--no-textconv", "--no-show-signature"]));
  expect(blameArgs("a", { first: 1, last: 2 })).toEqual(expect.arrayContaining(["--no-textconv", "HEAD"]));
});
