import { expect, test } from "vitest";
import { OwnQuestions } from "./own-questions.ts";
import { createLineOutput } from "./terminal-lines.ts";

function ask(count: number) {
  let heard = "";
  const questions = new OwnQuestions(
    createLineOutput((text) => (heard += text)),
    () => {},
  );
  const choices = Array.from({ length: count }, (_, at) => ({
    label: `○ talk ${at}`,
    description: at % 2 === 0 ? "ada" : "bob",
    value: at,
  }));
  const picked = questions.search("Sessions", choices, 1);
  return {
    picked,
    questions,
    /** What was said since the last call. */
    hears() {
      const said = heard.split("\n").filter((line) => line !== "");
      heard = "";
      return said;
    },
  };
}

test("twenty of many choices are read; words filter them and a number picks one", async () => {
  const one = ask(500);
  const first = one.hears();
  expect([first.length, first[0], first[1], first.at(-1)]).toEqual([
    22,
    "Sessions:",
    "1: talk 0, ada",
    "480 more are not listed. Answer with a number, with words to search for, or q for none. An empty line selects 2.",
  ]);
  one.questions.handleLine("TALK 33 bob");
  expect(one.hears()).toEqual([
    'Sessions with "TALK 33 bob", 9 of 500:',
    ...[33, 133, 233, 331, 333, 335, 337, 339, 433].map((at, index) => `${index + 1}: talk ${at}, bob`),
    "Answer with a number, with words to search for, or q for none.",
  ]);
  one.questions.handleLine("12");
  expect(one.hears()).toEqual(["Not an answer, and not sent. There is no 12. Choose a number from 1 to 9."]);
  one.questions.handleLine("2");
  expect(await one.picked).toBe(133);
});

test("an empty line takes the usual one, or the only one that was found; q takes none", async () => {
  const usual = ask(3);
  usual.questions.handleLine("");
  const matches = ask(50);
  matches.questions.handleLine("talk 49");
  expect(matches.hears().at(-1)).toContain("An empty line selects 1.");
  matches.questions.handleLine("");
  const none = ask(3);
  none.questions.handleLine("nothing like it");
  expect(none.hears().at(-1)).toBe("No match. Answer with a number, with words to search for, or q for none.");
  none.questions.handleLine("q");
  expect(await Promise.all([usual.picked, matches.picked, none.picked])).toEqual([1, 49, undefined]);
});
