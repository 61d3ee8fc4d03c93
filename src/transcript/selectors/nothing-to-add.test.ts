import { expect, test } from "vitest";
import { isNothingToAdd, mentionsIn } from "./nothing-to-add.ts";

const EMPTY = [
  "Nothing to add.",
  "nothing to add",
  "**Nothing to add.**",
  "I have nothing to add.",
  "I have nothing more to add at this point.",
  "There is nothing further to add from my side.",
  "I don’t have anything to add.",
  "I do not have anything further to say here.",
  "Nothing from me.",
  "No further comments.",
  "No objections.",
  "I agree.",
  "Agreed with @bob. Nothing to add.",
  "I fully agree with everything above.",
  "Agreed, nothing to add.",
  "I agree with ada and bob, and I have nothing to add.",
  "+1",
  "Same here!",
  "Pass.",
  "Thanks!",
  "Thanks @bob!",
  "Thank you all for the thorough review.",
  "You're welcome! Happy to help.",
  "Looks good to me. 👍",
  "Sounds good — nothing to add.",
  "That's all from me.",
];

const WORDS = [
  "",
  "The cache is stale.",
  "I have nothing to add, except that the cache is stale.",
  "Nothing to add. But look at line 12.",
  "Nothing to add to the list in `src/cache.ts`.",
  "Nothing to add?",
  "I agree, but the test is missing.",
  "I agree with the cache theory.",
  "Agreed. The second option is better because it needs no lock.",
  "- Nothing to add.",
  "Thanks, I will look at the cache now.",
  "There is nothing to add to the cart when it is empty, which is the bug.",
  "No changes are needed in the parser, only in the printer.",
  "42",
  "Done.",
  `Nothing to add. ${"And so on. ".repeat(40)}`,
];

test.each(EMPTY)("[T76] adds nothing: %s", (text) => expect(isNothingToAdd(text)).toBe(true));

test.each(WORDS)("[T76] is a contribution: %s", (text) => expect(isNothingToAdd(text)).toBe(false));

const names = ["ada", "bob", "c-3"];

test.each([
  ["@bob what do you say?", ["bob"]],
  ["I think @Bob and (@ada), then @bob again.", ["bob", "ada"]],
  ["@c-3: yes, @c-3's point", ["c-3"]],
  ["@ada- hm", ["ada"]],
  ["mail bob@ada.example or a/@ada or @ada@bob", []],
  ["@all @nobody @bobby", []],
  ["`@bob` and\n```\n@ada\n```\nend", []],
  ["```\n@ada", []],
  ["nobody", []],
])("[T77] %j names %j", (text, mentioned) => expect(mentionsIn(text, names)).toEqual(mentioned));
