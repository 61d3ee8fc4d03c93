import { test } from "vitest";
import { expectLiveLikeReload } from "./live-and-reload.ts";

const COUNT = 300;
const first = Number(process.env["SEED"] ?? 1_000);

test.each(Array.from({ length: COUNT }, (_, at) => first + at))(
  "the screen of a long generated session is the same live and read back (seed %i)",
  async (seed) => {
    await expectLiveLikeReload({ seed, steps: 20 + (seed % 10) * 30 });
  },
);
