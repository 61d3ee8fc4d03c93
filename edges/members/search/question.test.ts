import { expect, test } from "vitest";
import { parseQuestion, QUESTION_CHARS_MAX, type QuestionKind } from "./question.ts";

const CASES: readonly [string, QuestionKind][] = [
  ["scout, what can you do?", "help"],
  ["help", "help"],
  ["@scout help", "help"],
  ["more", "more"],
  ["show me more please", "more"],
  ["What is this project?", "overview"],
  ["what does this repository do", "overview"],
  ["how is the codebase structured?", "overview"],
  ["tell me about this repo", "overview"],
  ["What is this project? How is the code structured?", "overview"],
  ["What is this project, and where should I start reading?", "start"],
  ["what does this repo do and where do I start?", "start"],
  ["What is this project, and who calls parseQuestion?", "uses"],
  ["how do I run the tests?", "commands"],
  ["How can I build this project", "commands"],
  ["what scripts are there", "commands"],
  ["how to install", "commands"],
  ["how do I run a turn in the session controller", "search"],
  ["where is createAgent defined?", "definition"],
  ["where is createAgent", "definition"],
  ["definition of EventLog", "definition"],
  ["who calls parseQuestion", "uses"],
  ["where is the lock used", "uses"],
  ["what files are about locking", "files"],
  ["which files have to do with snapshots?", "files"],
  ["how does the fold work", "search"],
];

test.each(CASES)("%j is a question of the kind %s", (text, kind) => {
  expect(parseQuestion(text).kind).toBe(kind);
});

test("a mention before the question is not part of it", () => {
  const question = parseQuestion("@scout @historian: where is createAgent?");
  expect(question.text).toBe("where is createAgent?");
  expect(question.terms[0]?.shown).toBe("createAgent");
});

test("a very long question is truncated with a note", () => {
  const question = parseQuestion(`how do ${"how do run ".repeat(100_000)}`);
  expect(question.text.length).toBeLessThanOrEqual(QUESTION_CHARS_MAX);
  expect(question.isCut).toBe(true);
});
