import { expect, test } from "vitest";
import { withEllipsis } from "./format.ts";

test("a truncated text ends with … and never with half of a surrogate pair", () => {
  expect(withEllipsis("four", 4)).toBe("four");
  expect(withEllipsis("fives", 4)).toBe("fiv…");
  expect(withEllipsis("ab😀😀", 4)).toBe("ab…");
  expect(withEllipsis("ab😀😀", 5)).toBe("ab😀…");
});
