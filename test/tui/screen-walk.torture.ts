import { describe, test } from "vitest";
import { walkScreen } from "./screen-walk.ts";

const COUNT = 200;
const first = Number(process.env["SEED"] ?? 1_000);
const seeds = Array.from({ length: COUNT }, (_, at) => first + at);

describe.concurrent("long random walks", () => {
  test.for(seeds)(
    "a long random walk through the real program keeps what a short one keeps (seed %i)",
    async (seed, { onTestFinished: after }) => {
      await walkScreen(after, { seed, steps: 150 });
    },
  );
});
