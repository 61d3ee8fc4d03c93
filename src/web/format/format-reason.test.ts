import { expect, test } from "vitest";
import { formatReason } from "./format-turn.ts";

test("reason codes are shown as text, and unknown codes are not shown", () => {
  expect(["closed", "restart", "member_left", "unsupported", "", "The key is wrong."].map(formatReason)).toEqual([
    "the server stopped",
    "the server was restarted",
    "it left the session",
    "",
    "",
    "The key is wrong.",
  ]);
});
