import { test } from "vitest";
import { walkLog } from "../../../test/tui/log-walk.ts";

test.each([11])("a random walk shows what a fresh view shows (seed %i)", async (seed) => {
  await walkLog(seed, { steps: 40, panels: "plain" });
});

test.each([6, 10, 18, 54, 66, 70])(
  "a random walk on real panels shows what a fresh view shows (seed %i)",
  async (seed) => {
    await walkLog(seed, { steps: 60, panels: "real" });
  },
);
