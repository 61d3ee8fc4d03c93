import { expect, test } from "vitest";
import { compactBody } from "./commands.ts";

test.each([
  ["", { type: "compact" }],
  ["the plan", { type: "compact", focus: "the plan" }],
  ["@ada the plan", { type: "compact", member: "ada", focus: "the plan" }],
  ["ada", { type: "compact", member: "ada" }],
  ["undo", { type: "compact_undo" }],
  ["undo @ada", { type: "compact_undo", member: "ada" }],
  ["undoing things", { type: "compact", focus: "undoing things" }],
])("on the page /compact %s is that wish", (args, body) => {
  expect(compactBody(args, ["ada"])).toEqual(body);
});

test.each([
  ["@eve", /no member/],
  ["undo everything", /takes only a member name/],
])("on the page /compact %s says what it takes", (args, message) => {
  expect(() => compactBody(args, ["ada"])).toThrow(message);
});
