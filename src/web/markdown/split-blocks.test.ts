import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPartSplitter } from "./split-blocks.ts";

const PIECES = [
  "A line of words",
  "\n",
  "\n\n",
  "# A heading\n",
  "- a point\n",
  "  - below it\n",
  "1. first\n",
  "> a quote\n",
  "```ts\nconst a = 1;\n",
  "```\n",
  "~~~\n",
  "| a | b |\n|---|---|\n",
  "| 1 | 2 |\n",
  "    indented\n",
  "***\n",
  "===\n",
  "[label]: https://example.invalid\n",
  "[label] and `code`",
  "**bold",
  "<b>",
  "$x_1$",
] as const;

test("however a text is cut while it grows, its parts are those of the whole text", () => {
  const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }), (text, steps) => {
      const growing = createPartSplitter();
      let end = 0;
      for (const step of steps) {
        end = Math.min(text.length, end + step);
        const now = text.slice(0, end);
        const isOpen = end < text.length;
        expect(growing.update(now, { isOpen })).toEqual(createPartSplitter().update(now, { isOpen }));
      }
      expect(growing.update(text)).toEqual(createPartSplitter().update(text));
    }),
    {
      numRuns: 300,
      examples: [
        ["| 1 | 2 |\n***\n[label]: https://example.invalid\n[label]: https://example.invalid\n", [20, 27, 10]],
      ],
    },
  );
});

test("a finished part stays the very same while the text goes on, and so do whole groups of parts", () => {
  const splitter = createPartSplitter();
  const paragraphs = Array.from({ length: 120 }, (_, at) => `Paragraph ${at}.\n\n`);
  const before = splitter.update(paragraphs.join(""));
  const after = splitter.update(`${paragraphs.join("")}And one more line.\n\nAnd`);
  expect(before.groups.map((group) => group.length)).toEqual([50, 50, 20]);
  expect(after.groups[0]).toBe(before.groups[0]);
  expect(after.groups[1]).toBe(before.groups[1]);
  expect(after.groups[2]?.[0]).toBe(before.groups[2]?.[0]);
});

test("what the last part has begun and not closed is closed while the text grows, and as it was written at the end", () => {
  const text = "One **two**.\n\nSee **the [note](https://example.in";
  const splitter = createPartSplitter();
  const sources = (isOpen: boolean) => splitter.update(text, { isOpen }).groups.flat();
  const first = { kind: "markup", source: "One **two**." };
  expect(sources(true)).toEqual([first, { kind: "markup", source: "See **the note**" }]);
  expect(sources(false)).toEqual([first, { kind: "markup", source: "See **the [note](https://example.in" }]);
});
