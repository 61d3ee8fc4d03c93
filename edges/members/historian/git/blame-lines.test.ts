import { expect, test } from "vitest";
import { parseBlame } from "./blame-lines.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);

test("each line has its commit, also when the commit was described earlier; dates are in the author's time zone", () => {
  const output = [
    `${A} 1 4 2`,
    "author Ada",
    "author-mail <ada@example.org>",
    "author-time 1704150000",
    "author-tz +0200",
    "summary Begin",
    "boundary",
    "filename a.ts",
    "\tone\r",
    `${A} 2 5`,
    "\t\ttwo",
    `${B} 9 6 1`,
    "author Bo",
    "author-time 1704150000",
    "author-tz -0200",
    "summary Go on",
    "filename a.ts",
    `\t${A} 1 4 2`,
    "",
  ].join("\n");
  const ada = { hash: A, author: "Ada", date: "2024-01-02", subject: "Begin", isBoundary: true };
  const bo = { hash: B, author: "Bo", date: "2024-01-01", subject: "Go on", isBoundary: false };
  expect(parseBlame(output)).toEqual([
    { line: 4, text: "one", by: ada },
    { line: 5, text: "\ttwo", by: ada },
    { line: 6, text: `${A} 1 4 2`, by: bo },
  ]);
});
