import { expect, test } from "vitest";
import { parseCriticQuestion } from "./critic-question.ts";

test.each([
  ["@critic help", "help", []],
  ["more", "more", []],
  ["is that right?", "check", []],
  ["do you agree with scout?", "check", []],
  ["review this project", "project", []],
  ["what are the risks?", "project", []],
  ["what is untested around takeLock", "words", ["takeLock"]],
  ["risks in src/lock.ts", "words", []],
  ["who wrote takeLock when it rained", "words", ["takeLock"]],
  ["hello", "nothing", []],
  ["what is this project?", "nothing", []],
  ["Where do I start reading?", "nothing", ["start", "reading"]],
])("%j is asked as %s about %j", (text, kind, words) => {
  const parsed = parseCriticQuestion(text);
  const shown = parsed.question.terms.filter((term) => term.kind !== "part").map((term) => term.shown);
  expect({ kind: parsed.kind, shown }).toEqual({ kind, shown: words });
});
