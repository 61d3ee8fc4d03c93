import { expect, test } from "vitest";
import { alignColumns } from "./format.ts";

test("columns are aligned for any number of rows", () => {
  const rows = Array.from({ length: 200_000 }, () => ["a", "b"]);
  expect(alignColumns([["long", "x"], ...rows]).slice(0, 16)).toBe("long  x\na     b\n");
});
