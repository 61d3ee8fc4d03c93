import { expect, test } from "vitest";
import { DRAFT_CHARS_MAX, edit, emptyDraft, insert, type Draft, type Edit } from "./draft.ts";

/** The draft with its cursor drawn as |. */
function show({ text, at }: Draft): string {
  return `${text.slice(0, at)}|${text.slice(at)}`;
}

function from(drawn: string): Draft {
  return { text: drawn.replace("|", ""), at: drawn.indexOf("|") };
}

test("[U10] every edit moves or cuts between whole characters, within its line", () => {
  const cases: [Edit, before: string, after: string][] = [
    ["left", "ab|", "a|b"],
    ["left", "|ab", "|ab"],
    ["left", "a😀|", "a|😀"],
    ["right", "|😀a", "😀|a"],
    ["right", "ab|", "ab|"],
    ["home", "one\ntw|o", "one\n|two"],
    ["end", "o|ne\ntwo", "one|\ntwo"],
    ["backspace", "a😀|b", "a|b"],
    ["backspace", "|b", "|b"],
    ["delete", "a|😀b", "a|b"],
    ["killWord", "one two  |x", "one |x"],
    ["killToStart", "one\ntwo |three", "one\n|three"],
    ["killToEnd", "o|ne\ntwo", "o|\ntwo"],
  ];
  for (const [how, before, after] of cases) {
    expect([how, before, show(edit(from(before), how))]).toEqual([how, before, after]);
  }
});

test("[U11] a draft grows to its limit and no further", () => {
  const full = insert(emptyDraft, "x".repeat(DRAFT_CHARS_MAX + 5));
  expect(full.text.length).toBe(DRAFT_CHARS_MAX);
  expect(insert(full, "y")).toEqual(full);
});
