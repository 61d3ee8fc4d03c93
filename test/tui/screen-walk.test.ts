import { describe, test } from "vitest";
import { walkScreen } from "./screen-walk.ts";

describe.concurrent("random walks", () => {
  test.for([1, 2])(
    "after a random walk the screen equals a full repaint, was never cleared but for a resize, every byte stood in a synchronised frame, and the terminal is put back (seed %i)",
    async (seed, { onTestFinished: after }) => {
      await walkScreen(after, { seed, steps: 60 });
    },
  );
});
