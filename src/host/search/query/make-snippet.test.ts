import { expect, test } from "vitest";
import { makeSnippet } from "./make-snippet.ts";
import { parseQuery } from "./parse-query.ts";

/** The snippet with its marks in brackets. */
function shown(text: string, query: string): string {
  const { snippet, marks } = makeSnippet(text, parseQuery(query));
  return marks.toReversed().reduce((line, [from, to]) => {
    return `${line.slice(0, from)}[${line.slice(from, to)}]${line.slice(to)}`;
  }, snippet);
}

test.each([
  ["plain words", "a lock is a Lock, not a block", "lock", "a [lock] is a [Lock], not a block"],
  ["parts of names", "takeLock and HTTPServer", "lock server", "take[Lock] and HTTP[Server]"],
  ["a fragment", "call takeLock(path) here", "takeLock(", "call [takeLock(]path) here"],
  ["accents as they were written", "ein Ãœber, ein über", "uber", "ein Ãœber, ein [über]"],
  ["letters with marks of their own", "cafe\u0301 au lait", "cafe", "[cafe\u0301] au lait"],
  ["an unspaced script", "高速な検索エンジン", "検索", "高速な[検索]エンジン"],
  ["a phrase over a line end", "the torn\n  tail was cut", '"torn tail"', "the [torn tail] was cut"],
  ["words that touch", "parser", "par pars", "[pars]er"],
])("marks stand on %s", (_what, text, query, expected) => {
  expect(shown(text, query)).toBe(expected);
});

test("a snippet shows the part of a long text with most of the words, on one line, without splitting a character", () => {
  const text = `lock ${"x ".repeat(300)}the lock of\nthe parser 😀${"😀".repeat(300)}`;
  const { snippet } = makeSnippet(text, parseQuery("lock parser"));
  expect(snippet.startsWith("…")).toBe(true);
  expect(snippet).toContain("the lock of the parser 😀");
  expect(snippet.endsWith("…")).toBe(true);
  expect([snippet.isWellFormed(), snippet.length < 250]).toEqual([true, true]);
});
