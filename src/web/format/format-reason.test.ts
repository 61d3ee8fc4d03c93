import { expect, test } from "vitest";
import { formatReason } from "./format-turn.ts";

test("why something ended is said in words, and a code that has none is not shown", () => {
  expect(["closed", "restart", "member_left", "unsupported", "", "The key is wrong."].map(formatReason)).toEqual([
    "the server stopped",
    "the server was restarted",
    "it left the session",
    "",
    "",
    "The key is wrong.",
  ]);
});
