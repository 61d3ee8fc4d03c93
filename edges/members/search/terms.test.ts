import { expect, test } from "vitest";
import { parseTerms, splitIdentifier, stem, TERMS_MAX } from "./terms.ts";

const needles = (text: string) => parseTerms(text).terms.map((term) => `${term.kind}:${term.needle}`);

test("common question words are dropped, the others are searched by stem", () => {
  expect(needles("How does the recovery of locked sessions actually work?")).toEqual([
    "word:recover",
    "word:lock",
    "word:session",
  ]);
  expect(needles("what's it doing, isn't there something?")).toEqual([]);
});

test("an identifier is searched in full, its parts as weaker hints", () => {
  expect(needles("where is createEventLog defined")).toEqual([
    "identifier:createeventlog",
    "part:create",
    "part:event",
    "part:log",
  ]);
  expect(needles("EVENT_BYTES_MAX")).toEqual(["identifier:event_bytes_max", "part:event", "part:byte", "part:max"]);
  expect(needles("`foo()` and `the`")).toEqual(["identifier:foo", "identifier:the"]);
});

test("quoted text is searched literally", () => {
  expect(needles('who says "Connection refused by peer"')).toEqual(["phrase:connection refused by peer"]);
  expect(needles("“curly quotes here”")).toEqual(["phrase:curly quotes here"]);
});

test("names that look like files are kept as paths, without a line number", () => {
  expect(parseTerms("what is in ./src/agents/port.ts:12 and Makefile").paths).toEqual([
    "src/agents/port.ts",
    "Makefile",
  ]);
});

test("words of any script are searched", () => {
  expect(needles("где находится журнал, größe, 日本語")).toEqual([
    "word:где",
    "word:находится",
    "word:журнал",
    "word:größe",
    "word:日本語",
  ]);
});

test("more words than the limit are left out, and counted", () => {
  const { terms, leftOut } = parseTerms(
    Array.from({ length: 20 }, (_, n) => `${"abcdefghij".charAt(n % 10)}word${n}`).join(" "),
  );
  expect(terms).toHaveLength(TERMS_MAX);
  expect(leftOut).toBeGreaterThan(0);
});

test.each([
  ["createEventLog", ["create", "event", "log"]],
  ["HTTPServer", ["http", "server"]],
  ["snake_case_name", ["snake", "case", "name"]],
  ["kebab-case.ts", ["kebab", "case", "ts"]],
  ["http2Server", ["http2", "server"]],
  ["ÜberGröße", ["über", "größe"]],
  ["日本語", ["日本語"]],
  ["MAX", ["max"]],
  ["__", []],
])("%s has the pieces %j", (name, segments) => expect(splitIdentifier(name)).toEqual(segments));

test.each([
  ["queries", "quer"],
  ["query", "quer"],
  ["recovery", "recover"],
  ["streaming", "stream"],
  ["locked", "lock"],
  ["running", "run"],
  ["classes", "class"],
  ["files", "file"],
  ["status", "status"],
  ["string", "string"],
  ["bus", "bus"],
  ["process", "process"],
])("the stem of %s is %s", (word, expected) => expect(stem(word)).toBe(expected));
