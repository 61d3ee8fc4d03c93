import type { Tokens } from "marked";
import { expect, test } from "vitest";
import { finishedCount, lexBlocks, NO_LINKS } from "./markdown-blocks.ts";

function inlineOf(text: string): string[] {
  const [first] = lexBlocks(text, NO_LINKS).tokens as Tokens.Paragraph[];
  return (first?.tokens ?? []).map(({ type }) => type);
}

test("text that would take quadratic time to parse stays plain", () => {
  const prose = "Some *words* with a [link](https://example.org) and `code`. ";
  expect(inlineOf(prose.repeat(100).trim())).toContain("link");
  expect(inlineOf(prose.repeat(400).trim())).toEqual(["text"]);
  for (const hostile of ["![a](", "[a][", "**a*", "<a", "`a"]) {
    expect([hostile, inlineOf(hostile.repeat(1_500))]).toEqual([hostile, ["text"]]);
  }
  expect(inlineOf(`${"a-".repeat(9_000)}@b`)).toEqual(["text"]);
});

test("lists nested deeper than 24 are plain text, and nothing is lost", () => {
  const levels = Array.from({ length: 60 }, (_, depth) => `${" ".repeat(2 * depth)}- level${depth}`);
  const { tokens } = lexBlocks(`${levels.join("\n")}\n`, NO_LINKS);
  let depth = 0;
  for (let list = tokens[0]; list?.type === "list"; depth += 1) {
    const [item] = (list as Tokens.List).items;
    list = item?.tokens.find(({ type }) => type === "list");
  }
  expect(depth).toBe(24);
  expect(JSON.stringify(tokens)).toContain("level59");
});

test("a repeated link definition is a block: no text is lost, the first one stays, and blocks are finished", () => {
  const text = "# A\n\n[a]: https://one.invalid\n[a]: https://two.invalid\n\nWords [a].\n\nMore.\n";
  const { tokens, links } = lexBlocks(text, NO_LINKS);
  expect(tokens.map(({ raw }) => raw).join("")).toBe(text);
  expect(links["a"]?.href).toBe("https://one.invalid");
  expect(finishedCount(tokens, text)).toBe(tokens.length - 1);
  const known = lexBlocks("[a]: https://two.invalid\n\nWords.\n\nMore.\n", links);
  expect(known.tokens.map(({ type }) => type)).toEqual(["def", "space", "paragraph", "space", "paragraph"]);
});

test("a thematic break ends a paragraph, whatever line of = or - follows", () => {
  const typesOf = (text: string) => lexBlocks(text, NO_LINKS).tokens.map(({ type }) => type);
  expect(typesOf("A\n***\n===\n")).toEqual(["paragraph", "hr", "paragraph"]);
  expect(typesOf("A\n_ _ _\nB\n---\n")).toEqual(["paragraph", "hr", "heading"]);
  expect(typesOf("A\nB *** C\n===\n")).toEqual(["heading"]);
});
