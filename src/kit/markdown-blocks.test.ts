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
