/** Creates themes by name. Every foreground is adjusted until it is readable on the usual backgrounds of its kind. */
import { distance, hex, parseHex, readableOn, type Rgb, worstContrast } from "./colour.ts";
import { slotOfColour, slotOfName } from "./member-colours.ts";
import {
  type Attribute,
  DARK_BACKGROUNDS,
  LIGHT_BACKGROUNDS,
  type Palette,
  palettes,
  type TextStyle,
} from "./palettes.ts";
import type { ColourDepth, Theme } from "./theme.ts";

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

/** Bright black is nearly invisible in many palettes. */
const BRIGHT_BLACK = 8;

/**
 * Beyond this distance one of the sixteen colours would be a different colour: the terminal's foreground is used
 * instead.
 */
const SIXTEEN_DISTANCE_MAX = 45;

const GREY_SPREAD_MAX = 32;

export const themeNames = [
  "dark",
  "light",
  "ansi",
  "high-contrast",
  "high-contrast-light",
  "colour-blind",
  "colour-blind-light",
  "none",
] as const;

export type ThemeName = (typeof themeNames)[number];

export interface ThemeOptions {
  name: ThemeName;
  depth: ColourDepth;
  /** For "ansi" and "none", which suit both; other names imply it. */
  isDark?: boolean;
  hasLinks?: boolean;
}

/** Escape codes before and after a painted text. */
type Pen = readonly [open: string, close: string];

const ATTRIBUTES: Readonly<Record<Attribute, Pen>> = {
  bold: ["1", "22"],
  italic: ["3", "23"],
  underline: ["4", "24"],
  reverse: ["7", "27"],
  strike: ["9", "29"],
};

/** Colour names allowed in a configuration. */
const NAMED: Readonly<Record<string, Rgb>> = {
  red: hex("#ff5f5f"),
  green: hex("#5fd75f"),
  yellow: hex("#e5c84c"),
  blue: hex("#5f87ff"),
  magenta: hex("#d75fd7"),
  cyan: hex("#5fd7d7"),
  white: hex("#e4e4e4"),
};

export function createTheme(options: ThemeOptions): Theme {
  const { name, hasLinks = false } = options;
  const palette = paletteFor(options);
  const depth = depthFor(options);
  const penOf = (style: TextStyle) => makePen(style, palette, depth);
  const toneOf = lazily(palette.tones, penOf);
  const scopeOf = lazily(palette.syntax, penOf);
  const decorations = mapRecord(ATTRIBUTES, ([on, off]): Pen => [`\u001b[${on}m`, `\u001b[${off}m`]);
  const memberPens = new Map<string, Pen>();
  const memberPen = (colour: string): Pen => {
    const known = memberPens.get(colour);
    if (known !== undefined) return known;
    const slot = depth === "16" ? slotOfColour(colour) : undefined;
    const pen =
      slot === undefined
        ? penOf({ colour: memberColour(colour, palette), attributes: ["bold"] })
        : penOfSixteen(slot, palette.isDark);
    if (memberPens.size < MEMBER_PENS_MAX) memberPens.set(colour, pen);
    return pen;
  };
  return {
    name,
    isDark: palette.isDark,
    depth,
    hasLinks,
    paint: (tone, text) => draw(toneOf(tone), text),
    member: (member, text, colour) => draw(memberPen(colour ?? `slot ${slotOfName(member)}`), text),
    syntax: (scope, text) => draw(scopeOf(scope), text),
    decorate: (decoration, text) => draw(decorations[decoration], text),
  };
}

/**
 * Few of the sixteen colours are readable everywhere, so members also differ in text attributes. A blank stands for the
 * terminal's foreground.
 */
const SIXTEEN_DARK = ["96", "93", "92", "96 underline", "93 underline", "92 underline", "96 reverse", "93 reverse"];

const SIXTEEN_LIGHT = ["34", " underline", "34 underline", " reverse", "34 reverse", " italic", "34 italic", " strike"];

function penOfSixteen(slot: number, isDark: boolean): Pen {
  const looks = isDark ? SIXTEEN_DARK : SIXTEEN_LIGHT;
  const [colour = "", attribute = ""] = (looks[slot % looks.length] ?? "").split(" ");
  const [on, off] = attribute in ATTRIBUTES ? ATTRIBUTES[attribute as Attribute] : ["", ""];
  const open = [colour, on, "1"].filter((code) => code !== "");
  const close = [colour === "" ? "" : "39", off, "22"].filter((code) => code !== "");
  return [`\u001b[${open.join(";")}m`, `\u001b[${close.join(";")}m`];
}

/** Cached colours of configurations and logs; more are computed each time. */
const MEMBER_PENS_MAX = 200;

function paletteFor({ name, isDark = true }: ThemeOptions): Palette {
  if (name === "ansi" || name === "none") return isDark ? palettes.dark : palettes.light;
  return palettes[name];
}

function depthFor({ name, depth }: ThemeOptions): ColourDepth {
  if (name === "none") return "none";
  return name === "ansi" && depth !== "none" ? "16" : depth;
}

function memberColour(colour: string, palette: Palette): Rgb {
  const slot = slotOfColour(colour) ?? slotOfName(colour);
  const fallback = palette.members[slot % palette.members.length] ?? hex("#808080");
  return parseHex(colour) ?? (Object.hasOwn(NAMED, colour) ? NAMED[colour] : undefined) ?? fallback;
}

function makePen(style: TextStyle, palette: Palette, depth: ColourDepth): Pen {
  const attributes = [...(style.attributes ?? [])];
  const open: string[] = [];
  const close: string[] = [];
  if (style.background !== undefined && (depth === "16" || depth === "none")) attributes.push("reverse");
  else if (style.background !== undefined) {
    const background = backgroundCode(style.background, depth);
    const colour = readableOn(style.colour ?? hex("#000000"), [style.background], palette.contrast);
    open.push(background, foregroundCode(colour, depth, [style.background], palette.contrast));
    close.push("39", "49");
  } else if (style.colour !== undefined && depth !== "none") {
    const backgrounds = palette.isDark ? DARK_BACKGROUNDS : LIGHT_BACKGROUNDS;
    const colour = readableOn(style.colour, backgrounds, palette.contrast);
    const code = foregroundCode(colour, depth, backgrounds, palette.contrast);
    if (code !== "") {
      open.push(code);
      close.push("39");
    }
  }
  for (const attribute of attributes) {
    open.push(ATTRIBUTES[attribute][0]);
    close.push(ATTRIBUTES[attribute][1]);
  }
  const codes = open.filter((code) => code !== "");
  return codes.length === 0 ? ["", ""] : [`\u001b[${codes.join(";")}m`, `\u001b[${close.join(";")}m`];
}

function draw([open, close]: Pen, text: string): string {
  return text === "" || open === "" ? text : open + text + close;
}

/** Computed on first use: finding a readable colour takes a moment, and the first frame needs few. */
function lazily<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  change: (value: From) => To,
): (key: Key) => To {
  const known = new Map<Key, To>();
  return (key) => {
    const made = known.get(key) ?? change(record[key]);
    known.set(key, made);
    return made;
  };
}

function mapRecord<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  change: (value: From) => To,
): Record<Key, To> {
  const entries = (Object.entries(record) as [Key, From][]).map(([key, value]) => [key, change(value)] as const);
  return Object.fromEntries(entries) as Record<Key, To>;
}

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

/** Numbers after `ESC [`; empty when the terminal's foreground is best. */
function foregroundCode(colour: Rgb, depth: ColourDepth, backgrounds: readonly Rgb[], least: number): string {
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

/** Greys of the sixteen are not readable everywhere, and every other colour has a meaning. */
function isGrey({ r, g, b }: Rgb): boolean {
  return Math.max(r, g, b) - Math.min(r, g, b) < GREY_SPREAD_MAX;
}

function backgroundCode(colour: Rgb, depth: ColourDepth): string {
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
