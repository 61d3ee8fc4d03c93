import { describe, test } from "vitest";
import { expectLiveLikeReload } from "./live-and-reload.ts";

describe.concurrent("live and read back", () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    "[U64] the whole screen after streaming a generated session equals the screen after opening it (seed %i)",
    async (seed) => {
      await expectLiveLikeReload({ seed, steps: 12 + seed * 6 });
    },
  );
});
