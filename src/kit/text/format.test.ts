import { expect, test } from "vitest";
import { withEllipsis } from "./format.ts";

test("a text that is cut ends with … and never with half of a pair", () => {
  expect(withEllipsis("four", 4)).toBe("four");
  expect(withEllipsis("fives", 4)).toBe("fiv…");
  expect(withEllipsis("ab😀😀", 4)).toBe("ab…");
  expect(withEllipsis("ab😀😀", 5)).toBe("ab😀…");
});
