import { expect, test } from "vitest";
import { bestFirst, mentionAt, mentionOfFile } from "./mention.ts";

test("a mention is a word after an at sign, in any script, in quotes also with spaces, and never inside a word", () => {
  expect(mentionAt("ask @sc")).toEqual({ start: 4, text: "@sc", query: "sc" });
  expect(mentionAt("@")).toEqual({ start: 0, text: "@", query: "" });
  expect(mentionAt('see @"my no')).toEqual({ start: 4, text: '@"my no', query: "my no" });
  expect(mentionAt("見て、@設計")).toEqual({ start: 3, text: "@設計", query: "設計" });
  expect(mentionAt("(@src/a-b_c.test")?.query).toBe("src/a-b_c.test");
  for (const none of ["", "me@host", "@done ", '@"my notes" ', "a@@b"])
    expect([none, mentionAt(none)]).toEqual([none, undefined]);
});

test("prefix matches precede substring matches, and a name with spaces is quoted", () => {
  const names = ["historian", "Scout", "discord", "all"];
  expect(bestFirst(names, "SCO", (name) => name)).toEqual(["Scout", "discord"]);
  expect(bestFirst(names, "", (name) => name)).toEqual(names);
  expect([mentionOfFile("src/one.ts"), mentionOfFile("my notes.md")]).toEqual(["@src/one.ts", '@"my notes.md"']);
});
