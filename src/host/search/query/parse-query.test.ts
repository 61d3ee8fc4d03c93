import { expect, test } from "vitest";
import { parseQuery } from "./parse-query.ts";
import { matchExpression } from "./find-entries.ts";

test("a word of three letters or more matches as a prefix, one with punctuation literally, and quotes make a phrase", () => {
  expect(parseQuery('Parser go takeLock( "Torn  Tail" "a => b" naïve 検索')).toEqual([
    { tokens: ["parser"], isPrefix: true },
    { tokens: ["go"], isPrefix: false },
    { tokens: ["takelock"], isPrefix: false, literal: "takelock(" },
    { tokens: ["torn", "tail"], isPrefix: false },
    { tokens: ["a", "b"], isPrefix: false, literal: "a => b" },
    { tokens: ["naive"], isPrefix: true },
    { tokens: ["検", "索"], isPrefix: false },
  ]);
});

test.each([
  'a" OR b*',
  "NEAR(one two, 3)",
  "body : x NOT y",
  '"unbalanced',
  "-minus ^caret {brace} col:on",
  "nul\0inside",
  "\ud800 lone",
  "''; DROP TABLE entry; --",
  "“curly quotes”",
])("%j is text: nothing in it becomes syntax of the index", (text) => {
  const expression = matchExpression(parseQuery(text), {});
  expect(expression.replaceAll(/(?:\{body parts\}|body) : "[\p{L}\p{N} ]+"(?: \*)?/gu, "T")).toMatch(/^T(?: AND T)*$/);
});

test.each([
  ["", "The query is empty: it needs at least one letter or digit."],
  ['"" => !', "The query is empty: it needs at least one letter or digit."],
  ["word ".repeat(33), "The query has 33 words; at most 32 are allowed."],
])("%j is refused with what is wrong", (text, message) => {
  expect(() => parseQuery(text)).toThrow(expect.objectContaining({ code: "bad_command", message }));
});
