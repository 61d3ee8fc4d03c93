import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { findReferences, REFERENCES_MAX, resolveReference, seenFrom } from "./references.ts";

const CASES: readonly [string, readonly [string, number | undefined, number | undefined][]][] = [
  ["see `src/lock.ts:4`.", [["src/lock.ts", 4, undefined]]],
  [
    "src/lock.ts:4-9 and lock.ts",
    [
      ["src/lock.ts", 4, 9],
      ["lock.ts", undefined, undefined],
    ],
  ],
  ["in src/lock.ts:4:12, column 12", [["src/lock.ts", 4, undefined]]],
  ["[lock](src/lock.ts#L4-L9)", [["src/lock.ts", 4, 9]]],
  ["`src/lock.ts`, line 12", [["src/lock.ts", 12, undefined]]],
  ["src/lock.ts (lines 3 to 5)", [["src/lock.ts", 3, 5]]],
  ["line 7 of `src/lock.ts` says", [["src/lock.ts", 7, undefined]]],
  [
    "./a/b.py and ../c.py:3",
    [
      ["./a/b.py", undefined, undefined],
      ["../c.py", 3, undefined],
    ],
  ],
  [
    "/etc/app.conf:1, ~/x.txt, C:\\x.txt",
    [
      ["/etc/app.conf", 1, undefined],
      ["~/x.txt", undefined, undefined],
      ["C:/x.txt", undefined, undefined],
    ],
  ],
  [
    "the Makefile and docs/README",
    [
      ["Makefile", undefined, undefined],
      ["docs/README", undefined, undefined],
    ],
  ],
  ["turn.text is console.log of e.g. this", []],
  ["https://example.org/src/lock.ts:4", []],
  ["at 12:30, localhost:8080, 127.0.0.1:80, example.com:443, v1.2.3", []],
  ["lock.ts()", []],
];

test.each(CASES)("%j names its files and lines", (text, expected) => {
  expect(findReferences(text).map(({ path, line, lastLine }) => [path, line, lastLine])).toEqual(expected);
});

test("an excessive line number is ignored, and the references of one text are limited", () => {
  expect(findReferences("a.ts:0")[0]?.line).toBeUndefined();
  expect(findReferences("a.ts:1 ".repeat(REFERENCES_MAX + 5))).toHaveLength(REFERENCES_MAX);
});

test("any text is parsed without errors, and each reference has the right position", () => {
  assert(
    property(string({ unit: "grapheme", maxLength: 300 }), (noise) => {
      const text = `${noise} src/lock.ts:4 ${noise}`;
      for (const { start, end, path } of findReferences(text)) {
        expect(text.slice(start, end).replaceAll("\\", "/")).toContain(path.split("/").at(-1));
      }
    }),
  );
});

test("a location below a directory with a space in its name has its full path", () => {
  const text = "see `/home/my work/it/src/lock.ts:4` and /home/other/b.ts:2";
  const places = findReferences(seenFrom("/home/my work/it", text)).map(({ path, line }) => [path, line]);
  expect(places).toEqual([
    ["src/lock.ts", 4],
    ["/home/other/b.ts", 2],
  ]);
  expect(seenFrom("/home/other", text)).toBe(text);
});

const paths = ["src/lock.ts", "src/log/lock.ts", "src/ferry.ts", "a.txt"];

test.each([
  ["src/lock.ts", { kind: "file", path: "src/lock.ts" }],
  ["./src/lock.ts", { kind: "file", path: "src/lock.ts" }],
  ["/root/src/lock.ts", { kind: "file", path: "src/lock.ts" }],
  ["ferry.ts", { kind: "file", path: "src/ferry.ts" }],
  ["Ferry.ts", { kind: "file", path: "src/ferry.ts" }],
  ["lock.ts", { kind: "several", paths: ["src/lock.ts", "src/log/lock.ts"] }],
  ["src/log", { kind: "directory", path: "src/log" }],
  ["src/bridge.ts", { kind: "none" }],
  ["/etc/passwd", { kind: "outside" }],
  ["/rootless/a.txt", { kind: "outside" }],
  ["../a.txt", { kind: "outside" }],
  ["src/../../a.txt", { kind: "outside" }],
  ["/root/../a.txt", { kind: "outside" }],
  ["~/a.txt", { kind: "outside" }],
])("%s means what is known, and never a place outside", (name, resolved) => {
  expect(resolveReference(name, { paths, root: "/root" })).toEqual(resolved);
});

test("a product named like a file is not a reference, unless it has a line or folder", () => {
  const paths = (text: string) => findReferences(text).map((one) => one.path);
  expect(paths("It needs Node.js 24, and `Vue.js` for the page.")).toEqual([]);
  expect(paths("See Node.js:12 and src/App.js and app.js")).toEqual(["Node.js", "src/App.js", "app.js"]);
});
