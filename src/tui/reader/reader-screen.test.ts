import { expect, test } from "vitest";
import { withoutSigns } from "./reader-screen.ts";

test("what commands report is read out without its signs", () => {
  expect(
    [
      "members    ○ ada (idle) · opus · ctx ▰▱▱▱▱▱▱▱▱▱ 12k/200k (6%)",
      "           ✗ bob (failed) · ctx ▱▱▱▱▱▱▱▱▱▱ ~457/32k (1%)",
      "  ctx ▰▰▰▰▰▱▱▱▱▱ 100k/200k (50%)",
      "directory  /src/▰▱/○ ada (idle)",
    ].map(withoutSigns),
  ).toEqual([
    "members    ada (idle) · opus · context 12k of 200k (6%)",
    "           bob (failed) · context ~457 of 32k (1%)",
    "  context 100k of 200k (50%)",
    "directory  /src/▰▱/○ ada (idle)",
  ]);
});
