/** The terminal's palettes of 16 and 256 colours, and the nearest colour in them. */
import { distance, type Rgb, worstContrast } from "./colour.ts";

/** xterm's defaults. Users change these, so they are only an estimate. */
const BASE: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
].map(([r = 0, g = 0, b = 0]) => ({ r, g, b }));

const CUBE_FIRST = 16;
const GREY_FIRST = 232;
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255];

/** The 240 that users rarely change. */
export const FIXED_INDEXES: readonly number[] = Array.from({ length: 256 - CUBE_FIRST }, (_, at) => CUBE_FIRST + at);

export function indexedColour(index: number): Rgb {
  const base = BASE[index];
  if (base !== undefined) return base;
  if (index >= GREY_FIRST) {
    const level = 8 + 10 * (index - GREY_FIRST);
    return { r: level, g: level, b: level };
  }
  const cubeIndex = index - CUBE_FIRST;
  const level = (step: number) => CUBE_LEVELS[step % 6] ?? 0;
  return { r: level(Math.floor(cubeIndex / 36)), g: level(Math.floor(cubeIndex / 6)), b: level(cubeIndex) };
}

/** Of the 240, the nearest that is readable on the backgrounds. */
export function nearestIndex(colour: Rgb, backgrounds: readonly Rgb[] = [], contrastMin = 0): number {
  let best = CUBE_FIRST;
  let bestDistance = Infinity;
  for (const index of FIXED_INDEXES) {
    const candidate = indexedColour(index);
    if (backgrounds.length > 0 && worstContrast(candidate, backgrounds) < contrastMin) continue;
    const away = distance(colour, candidate);
    if (away >= bestDistance) continue;
    best = index;
    bestDistance = away;
  }
  return best;
}
