/** Colour arithmetic: contrast, distance, and the nearest colour of a limited palette. */

export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

const HEX = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i;

export function parseHex(text: string): Rgb | undefined {
  const match = HEX.exec(text);
  if (match === null) return undefined;
  const [, r = "0", g = "0", b = "0"] = match;
  return { r: Number.parseInt(r, 16), g: Number.parseInt(g, 16), b: Number.parseInt(b, 16) };
}

/** For literals in our own sources. */
export function hex(text: string): Rgb {
  const colour = parseHex(text);
  if (colour === undefined) throw new Error(`"${text}" is not a colour like #12ab9f.`);
  return colour;
}

function toLinear(channel: number): number {
  const c = channel / 255;
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

export function luminance({ r, g, b }: Rgb): number {
  return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
}

/** WCAG 2 contrast: 1 … 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [one, two] = [luminance(a) + 0.05, luminance(b) + 0.05];
  return one > two ? one / two : two / one;
}

export function worstContrast(colour: Rgb, backgrounds: readonly Rgb[]): number {
  return Math.min(...backgrounds.map((background) => contrast(colour, background)));
}

/** Perceptual distance (OKLab, times 100): 2 is barely visible, 20 is obvious. */
export function distance(a: Rgb, b: Rgb): number {
  const [one, two] = [toOklab(a), toOklab(b)];
  return 100 * Math.hypot(one[0] - two[0], one[1] - two[1], one[2] - two[2]);
}

function toOklab({ r, g, b }: Rgb): [number, number, number] {
  const [x, y, z] = [toLinear(r), toLinear(g), toLinear(b)];
  const l = Math.cbrt(0.4122214708 * x + 0.5363325363 * y + 0.0514459929 * z);
  const m = Math.cbrt(0.2119034982 * x + 0.6806995451 * y + 0.1073969566 * z);
  const s = Math.cbrt(0.0883024619 * x + 0.2817188376 * y + 0.6299787005 * z);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const STEPS = 40;

/** The colour itself when readable on all backgrounds, else mixed with white or black as far as needed. */
export function readableOn(colour: Rgb, backgrounds: readonly Rgb[], least: number): Rgb {
  const isOnDark = backgrounds.every((background) => luminance(background) < 0.2);
  const pole = isOnDark ? 255 : 0;
  for (let step = 0; step <= STEPS; step += 1) {
    const mixed = mix(colour, pole, step / STEPS);
    if (worstContrast(mixed, backgrounds) >= least) return mixed;
  }
  return { r: pole, g: pole, b: pole };
}

function mix({ r, g, b }: Rgb, pole: number, share: number): Rgb {
  const one = (channel: number) => Math.round(channel + (pole - channel) * share);
  return { r: one(r), g: one(g), b: one(b) };
}
