import { describe, test } from "vitest";
import { expectLiveLikeReload } from "./live-and-reload.ts";

describe.concurrent("live and read back", () => {
  test.each([2, 4, 6, 8])(
    "the whole screen after streaming a generated session equals the screen after opening it (seed %i)",
    async (seed) => {
      await expectLiveLikeReload({ seed, steps: 12 + seed * 6 });
    },
  );
});
