import { expect, test } from "vitest";
import { readClaims } from "./claims.ts";
import { findDisagreements } from "./answer-discussion.ts";

function between(statements: Readonly<Record<string, string>>): string[] {
  const names = Object.keys(statements);
  return findDisagreements(names.map((name) => readClaims(name, statements[name] ?? "", names)));
}

test("yes against no, two locations of one definition and explicit contradictions are disagreements", () => {
  expect(
    between({
      scout: "Yes. `Lock` is defined in `src/lock.ts:8`.",
      codex: "No. `Lock` is defined in `src/log.ts:3`. I think scout is wrong.",
      pi: "Yes.",
    }),
  ).toEqual([
    "**scout** and **pi** say yes, **codex** says no.",
    "Where `Lock` is defined: **scout** says `src/lock.ts:8` and **codex** says `src/log.ts:3`.",
    "**codex** contradicts **scout**: `I think scout is wrong.`",
  ]);
});

test("the same answer in other words is not a disagreement", () => {
  expect(
    between({
      scout: "Yes. `Lock` is defined in `src/lock.ts:8`.",
      codex: "Yes: `Lock` is defined in `lock.ts`. Scout is right.",
      pi: "`Lock` is defined in `lock.ts:8`.",
    }),
  ).toEqual([]);
});
