/** How fast a replay may go here, and what a frame is in a browser. */
import type { NextFrame } from "../../transcript/index.ts";

export const SPEEDS = [1, 4, 16] as const;

export const browserFrame: NextFrame = (draw) => {
  const frame = requestAnimationFrame(draw);
  return () => cancelAnimationFrame(frame);
};
