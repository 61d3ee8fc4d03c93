import { expect, test } from "vitest";
import { closeOpenInline } from "./open-inline.ts";

const cases: readonly (readonly [written: string, shown: string])[] = [
  ["plain words", "plain words"],
  ["some **bold wor", "some **bold wor**"],
  ["some **bold ", "some **bold** "],
  ["some **bold** and", "some **bold** and"],
  ["some **", "some "],
  ["some *", "some "],
  ["some **bold*", "some **bold**"],
  ["a ~~gone", "a ~~gone~~"],
  ["**a ~~b", "**a ~~b~~**"],
  ["run `npm te", "run `npm te`"],
  ["run `", "run "],
  ["run ``a `b` c", "run ``a `b` c``"],
  ["run ``a`", "run ``a``"],
  ["`**` is bold", "`**` is bold"],
  ["**see `x", "**see `x`**"],
  ["see [the note](https://exam", "see the note"],
  ["see [the note](", "see the note"],
  ["see [the note](a(b)", "see the note"],
  ["see [the note](a(b))", "see [the note](a(b))"],
  ["**see [the note](https", "**see the note**"],
  ["look: ![a picture](https://exam", "look: "],
  ["[1, 2", "[1, 2"],
  ["- [ ] task", "- [ ] task"],
  ["2 * 3 ** 4 and more", "2 * 3 ** 4 and more"],
  [String.raw`\**not bold`, String.raw`\**not bold`],
  ["**first item\n- second", "**first item\n- second"],
  ["| a | **b", "| a | **b**"],
  ["one **two\nthree", "one **two\nthree**"],
  ["* an item", "* an item"],
];

test.each(cases)("%j is shown as %j while it grows", (written, shown) => {
  expect(closeOpenInline(written)).toBe(shown);
});

test("a paragraph with thousands of marks shows them as plain text", () => {
  for (const marks of ["`", "[a](", "**a ", "![a](", "``a`", "["]) {
    const many = marks.repeat(20_000);
    expect(closeOpenInline(many)).toBe(many);
  }
  const items = "\n- **".repeat(20_000);
  expect(closeOpenInline(items)).toBe(items.slice(0, -2));
});
