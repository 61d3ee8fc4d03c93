import { expect, test } from "vitest";
import { parseHistoryQuestion, type HistoryKind } from "./history-question.ts";

const KINDS: readonly [string, HistoryKind][] = [
  ["@historian help", "help"],
  ["historian, what can you do?", "help"],
  ["more", "more"],
  ["what did 1a2b3c4d change", "commit"],
  ["show commit deadbee1", "commit"],
  ["what changed recently?", "recent"],
  ["the last 5 commits", "recent"],
  ["what happened last week", "recent"],
  ["who works on this?", "people"],
  ["list the contributors", "people"],
  ["who wrote takeLock", "words"],
  ["history of src/lock.ts", "words"],
  ["why was the retry removed", "words"],
  ["hello", "nothing"],
  ["Where do I start reading?", "recent"],
  ["What does this project do?", "recent"],
  ["How do I run the tests?", "commands"],
  ["how did the tests change last week", "words"],
];

test.each(KINDS)("%j is a question of kind %s", (text, kind) => {
  expect(parseHistoryQuestion(text).kind).toBe(kind);
});

test.each([
  ["why was the lock changed last month", ["lock"]],
  ["who added takeLock since 2024-01-31", ["takeLock"]],
  ['when was "commit" introduced', ["commit"]],
  ["what did 1a2b3c4d do to the lock", ["lock"]],
])("of %j the words about history are left out: %j", (text, words) => {
  const { terms } = parseHistoryQuestion(text).question;
  expect(terms.filter((term) => term.kind !== "part").map((term) => term.shown)).toEqual(words);
});

test.each([
  ["since 2024-01-31", "2024-01-31T00:00:00"],
  ["in the last 3 weeks", "3.week.ago"],
  ["2 days ago", "2.day.ago"],
  ["this month", "1.month.ago"],
  ["yesterday", "2.day.ago"],
  ["today", "midnight"],
  ["since --output=/tmp/x", undefined],
  ["since Tuesday", undefined],
])("the time in %j reaches git as %s, never as it was written", (text, since) => {
  expect(parseHistoryQuestion(text).since).toBe(since);
});

test("a count and a line are read within their limits", () => {
  expect(parseHistoryQuestion("the last 5 commits").count).toBe(5);
  expect(parseHistoryQuestion("the last 999 commits").count).toBe(50);
  expect(parseHistoryQuestion("the last 3 weeks").count).toBeUndefined();
  expect(parseHistoryQuestion("who wrote src/a.ts:12").line).toBe(12);
});
