import { expect, test } from "vitest";
import { isOnlyThanks } from "./thanks.ts";

test.each([
  "Thanks!",
  "Thank you so much, bob.",
  "ok",
  "Got it, thanks for your help!",
  "Understood.",
  "@bob cheers 🎉",
  "Sounds good — will do.",
  "You're welcome.",
  "Great, agreed.",
  "👍",
  "Danke, alles klar",
])("[S152] %j is only thanks or an acknowledgement", (text) => {
  expect(isOnlyThanks(text, ["bob"])).toBe(true);
});

test.each([
  "",
  "Yes.",
  "No.",
  "42",
  "It is 4. Thanks!",
  "Thanks, but can you look again?",
  "Thanks for the file; it is wrong in line 3",
  "Noted: the lock is never released.",
  "correct",
  `thanks ${"so much ".repeat(60)}`,
])("[S152] %j says something", (text) => {
  expect(isOnlyThanks(text, ["bob"])).toBe(false);
});
