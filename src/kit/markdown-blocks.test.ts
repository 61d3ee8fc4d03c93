import type { Tokens } from "marked";
import { expect, test } from "vitest";
import { lexBlocks, NO_LINKS } from "./markdown-blocks.ts";

function inlineOf(text: string): string[] {
  const [first] = lexBlocks(text, NO_LINKS).tokens as Tokens.Paragraph[];
  return (first?.tokens ?? []).map(({ type }) => type);
}

test("[K60] words in one block that would cost the square of their length to look through stay words", () => {
  const prose = "Some *words* with a [link](https://example.org) and `code`. ";
  expect(inlineOf(prose.repeat(100).trim())).toContain("link");
  expect(inlineOf(prose.repeat(400).trim())).toEqual(["text"]);
  for (const hostile of ["![a](", "[a][", "**a*", "<a", "`a"]) {
    expect([hostile, inlineOf(hostile.repeat(1_500))]).toEqual([hostile, ["text"]]);
  }
  expect(inlineOf(`${"a-".repeat(9_000)}@b`)).toEqual(["text"]);
});

test("[K70] lists deeper than 24 in each other are words, and none of them is lost", () => {
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
