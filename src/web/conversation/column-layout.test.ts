import { expect, test } from "vitest";
import { arrange } from "./column-layout.ts";

const members = ["claude", "codex", "gemini"];

test("pinned columns come first and hidden ones are left out", () => {
  expect(arrange(members, { pinned: [], hidden: [] })).toEqual(members);
  expect(arrange(members, { pinned: ["gemini"], hidden: ["claude"] })).toEqual(["gemini", "codex"]);
  expect(arrange(members, { pinned: ["claude"], hidden: ["claude"] })).toEqual(["codex", "gemini"]);
});

test("a round of which every column is hidden is shown whole", () => {
  expect(arrange(["codex"], { pinned: [], hidden: ["codex"] })).toEqual(["codex"]);
});
