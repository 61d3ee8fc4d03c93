/** Creates themes by name. */
import { hex, parseHex, readableOn, type Rgb } from "./colour.ts";
import { glyphOf, spinnerFrame } from "./glyphs.ts";
import { colourOfName, readChoice, type ColourChoice } from "./member-colours.ts";
import { moveColour } from "./move-colour.ts";
import {
  type Attribute,
  DARK_BACKGROUNDS,
  LIGHT_BACKGROUNDS,
  type CellStyle,
  type Palette,
  palettes,
} from "./palettes.ts";
import { groundsOfSixteen, membersOfSixteen, textsOfSixteen } from "./sixteen.ts";
import { FIXED_INDEXES, indexedColour, nearestIndex } from "./terminal-colours.ts";
import type { ColourDepth, Decoration, GroundTone, Theme, Tone } from "./theme.ts";

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
  isAscii?: boolean;
  /** Spinners turn. */
  hasMotion?: boolean;
  /** Of the sixteen, bright blue is readable in this terminal. */
  hasReadableBlue?: boolean;
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

const GROUNDS: ReadonlySet<Tone> = new Set<GroundTone>([
  "band",
  "selected",
  "code",
  "addedLine",
  "removedLine",
  "addedWord",
  "removedWord",
  "match",
] as const);

export function createTheme(options: ThemeOptions): Theme {
  const { name, hasLinks = false, isAscii = false, hasMotion = true } = options;
  const palette = paletteFor(options);
  const depth = depthFor(options);
  const toneOf = remembered((tone: Tone) => penOf(styleOf(tone, palette, depth)));
  const styleOfMember = remembered((colour: string): CellStyle => {
    const choice = readChoice(colour);
    const earlier = () => choice.before.flatMap((other) => styleOfMember(other).colour ?? []);
    return memberStyle(choice, earlier, palette, depth, options);
  });
  const memberOf = remembered((colour: string) => penOf(styleOfMember(colour)));
  const decorationOf = remembered((decoration: Decoration) => penOf({ attributes: [decoration] }));
  return {
    name,
    isDark: palette.isDark,
    depth,
    hasLinks,
    isAscii,
    paint: (tone, text) => draw(toneOf(tone), text),
    member: (member, text, colour = colourOfName(member)) => draw(memberOf(colour), text),
    decorate: (decoration, text) => draw(decorationOf(decoration), text),
    glyph: (glyph) => glyphOf(glyph, { isAscii, hasColours: depth !== "none" }),
    spinner: (now) => (hasMotion ? spinnerFrame(now, isAscii) : ""),
  };
}

function paletteFor({ name, isDark = true }: ThemeOptions): Palette {
  if (name === "ansi" || name === "none") return isDark ? palettes.dark : palettes.light;
  return palettes[name];
}

function depthFor({ name, depth }: ThemeOptions): ColourDepth {
  if (name === "none") return "none";
  return name === "ansi" && depth !== "none" ? "16" : depth;
}

function styleOf(tone: Tone, palette: Palette, depth: ColourDepth): CellStyle {
  if (isGround(tone)) return groundStyle(tone, palette, depth);
  if (tone === "text") return {};
  if (tone === "you") return { attributes: ["bold"] };
  if (depth === "none") return tone === "key" ? { attributes: ["bold"] } : {};
  if (depth === "16") return textsOfSixteen(palette.isDark)[tone] ?? {};
  if (tone === "key") return {};
  const attributes: Attribute[] = tone === "comment" ? ["italic"] : [];
  // Lines are no text: they may be faint.
  const readable = tone === "faint" ? palette.tones.faint : readableIn(palette.tones[tone], palette);
  if (depth === "truecolor") return { colour: readable, attributes };
  return { colour: palette.indexed?.tones[tone] ?? nearestReadable(readable, palette, tone === "faint"), attributes };
}

function isGround(tone: Tone): tone is GroundTone {
  return GROUNDS.has(tone);
}

function groundStyle(tone: GroundTone, palette: Palette, depth: ColourDepth): CellStyle {
  if (depth === "16" || depth === "none") return groundsOfSixteen(palette.isDark, depth === "none")[tone];
  if (depth === "truecolor") return { ground: palette.grounds[tone] };
  switch (tone) {
    case "band":
    case "selected":
    case "code":
      return { ground: palette.indexed?.grounds[tone] ?? nearestIndex(palette.grounds[tone]) };
    case "match":
      return { attributes: ["reverse"] };
    default: {
      const { colour } = styleOf(tone.startsWith("added") ? "added" : "removed", palette, depth);
      const word: readonly Attribute[] = tone.endsWith("Word") ? ["underline"] : [];
      return { ...(colour === undefined ? {} : { colour }), attributes: word };
    }
  }
}

function backgroundsOf(palette: Palette): readonly Rgb[] {
  return palette.isDark ? DARK_BACKGROUNDS : LIGHT_BACKGROUNDS;
}

function readableIn(colour: Rgb, palette: Palette): Rgb {
  return readableOn(colour, backgroundsOf(palette), palette.contrast);
}

function nearestReadable(colour: Rgb, palette: Palette, isLine: boolean): number {
  return isLine ? nearestIndex(colour) : nearestIndex(colour, backgroundsOf(palette), palette.contrast);
}

/** Distance of a member from you and outcomes, and from other members, by depth. */
const APART = { truecolor: [7.7, 8.8], "256": [6.5, 7.1] } as const;

function memberStyle(
  { wanted, slot }: ColourChoice,
  earlier: () => readonly (Rgb | number)[],
  palette: Palette,
  depth: ColourDepth,
  options: ThemeOptions,
): CellStyle {
  if (depth === "none") return {};
  if (depth === "16") return membersOfSixteen(palette.isDark, options.hasReadableBlue ?? false)[slot] ?? {};
  const ofSlot = slotColour(slot, palette, depth);
  const given = wanted === undefined ? undefined : (parseHex(wanted) ?? namedColour(wanted));
  if (given === undefined) return { colour: ofSlot };
  const [reservedDistanceMin, othersDistanceMin] = APART[depth];
  const slots = palette.members.flatMap((_, other) => (other === slot ? [] : [slotColour(other, palette, depth)]));
  const limits = {
    backgrounds: [...backgroundsOf(palette), palette.grounds.band, palette.grounds.selected, palette.grounds.code],
    contrastMin: palette.contrast,
    reserved: (["text", "quiet", "ok", "bad", "ask"] as const).map((tone) =>
      asRgb(styleOf(tone, palette, depth).colour ?? palette.text),
    ),
    reservedDistanceMin,
    others: [...slots, ...earlier()].map(asRgb),
    othersDistanceMin,
  };
  if (depth === "truecolor") return { colour: moveColour(given, limits) ?? ofSlot };
  const moved = moveColour(given, limits, FIXED_INDEXES.map(indexedColour));
  return { colour: moved === undefined ? ofSlot : nearestIndex(moved) };
}

function slotColour(slot: number, palette: Palette, depth: ColourDepth): Rgb | number {
  const index = slot % palette.members.length;
  const colour = palette.members[index] ?? palette.text;
  if (depth === "256") return palette.indexed?.members[index] ?? nearestReadable(colour, palette, false);
  return readableIn(colour, palette);
}

function namedColour(name: string): Rgb | undefined {
  return Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
}

function asRgb(colour: Rgb | number): Rgb {
  return typeof colour === "number" ? indexedColour(colour) : colour;
}

function penOf({ colour, ground, attributes = [] }: CellStyle): Pen {
  const open = attributes.map((attribute) => ATTRIBUTES[attribute][0]);
  const close = attributes.map((attribute) => ATTRIBUTES[attribute][1]);
  if (ground !== undefined) {
    open.unshift(colourCode(ground, 48));
    close.unshift("49");
  }
  if (colour !== undefined) {
    open.unshift(colourCode(colour, 38));
    close.unshift("39");
  }
  return open.length === 0 ? ["", ""] : [`\u001b[${open.join(";")}m`, `\u001b[${close.join(";")}m`];
}

function colourCode(colour: Rgb | number, kind: 38 | 48): string {
  if (typeof colour !== "number") return `${kind};2;${colour.r};${colour.g};${colour.b}`;
  if (colour >= 16) return `${kind};5;${colour}`;
  return String(colour < 8 ? kind - 8 + colour : kind + 44 + colour);
}

/** Ends all styles at once: rows that were cut or closed have it inside. */
const RESET = "\u001b[0m";

/** What ends inside goes on as it was outside. */
function draw([open, close]: Pen, text: string): string {
  if (text === "" || open === "") return text;
  return open + reopened(reopened(text, close, open), RESET, open) + close;
}

function reopened(text: string, end: string, open: string): string {
  return text.includes(end) ? text.replaceAll(end, end + open) : text;
}

/** Colours of configurations and logs are many at most this often; more are computed each time. */
const REMEMBERED_MAX = 200;

/** Computed on first use: finding a readable colour takes a moment, and the first frame needs few. */
function remembered<Key extends string, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const made = known.get(key) ?? make(key);
    if (known.size < REMEMBERED_MAX) known.set(key, made);
    return made;
  };
}
