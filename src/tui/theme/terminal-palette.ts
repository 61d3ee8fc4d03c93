/** The colours a terminal has by number, and how a colour is asked for at each depth. */
import { distance, worstContrast, type Rgb } from "./colour.ts";
import type { ColourDepth } from "./theme.ts";

/** As xterm has them by default. Users change these, so they are only a measure. */
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
/** Bright black is nearly invisible in many palettes. */
const BRIGHT_BLACK = 8;
/** A colour of sixteen that is further away than this would be another colour: the terminal's own is used then. */
const SIXTEEN_DISTANCE_MAX = 45;
const GREY_SPREAD_MAX = 32;

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

/** Numbers after `ESC [`; empty when the terminal's own foreground is the best there is. */
export function foregroundCode(colour: Rgb, depth: ColourDepth, backgrounds: readonly Rgb[], least: number): string {
  if (depth === "none") return "";
  if (depth === "truecolor") return `38;2;${colour.r};${colour.g};${colour.b}`;
  if (depth === "256") {
    const index = nearest(colour, range(CUBE_FIRST, 256), backgrounds, least, Infinity);
    return index === undefined ? "" : `38;5;${index}`;
  }
  if (isGrey(colour)) return "";
  const sixteen = range(1, 16).filter((index) => index !== BRIGHT_BLACK && index !== 7 && index !== 15);
  const index = nearest(colour, sixteen, backgrounds, least, SIXTEEN_DISTANCE_MAX);
  if (index === undefined) return "";
  return String(index < 8 ? 30 + index : 82 + index);
}

/** The greys among the sixteen cannot be read everywhere, and every other colour means something. */
function isGrey({ r, g, b }: Rgb): boolean {
  return Math.max(r, g, b) - Math.min(r, g, b) < GREY_SPREAD_MAX;
}

export function backgroundCode(colour: Rgb, depth: ColourDepth): string {
  if (depth === "truecolor") return `48;2;${colour.r};${colour.g};${colour.b}`;
  const index = nearest(colour, range(CUBE_FIRST, 256), [], 0, Infinity) ?? CUBE_FIRST;
  return `48;5;${index}`;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset);
}

function nearest(
  colour: Rgb,
  indexes: readonly number[],
  backgrounds: readonly Rgb[],
  least: number,
  distanceMax: number,
): number | undefined {
  let best: number | undefined;
  let bestDistance = distanceMax;
  for (const index of indexes) {
    const candidate = indexedColour(index);
    if (backgrounds.length > 0 && worstContrast(candidate, backgrounds) < least) continue;
    const away = distance(colour, candidate);
    if (away >= bestDistance) continue;
    best = index;
    bestDistance = away;
  }
  return best;
}
