/** Tones of each theme. `dark` and `light` are exact; the others are adjusted until they are readable. */
import { hex, type Rgb } from "./colour.ts";
import type { Decoration, GroundTone, TextTone } from "./theme.ts";

export type Attribute = Decoration | "reverse";

/** What a cell styles like; a number is an index of the terminal's palette. */
export interface CellStyle {
  readonly colour?: Rgb | number;
  readonly ground?: Rgb | number;
  readonly attributes?: readonly Attribute[];
}

/** Tones with a colour; the others are the terminal's own foreground. */
type ColouredTone = Exclude<TextTone, "text" | "you" | "key">;

export interface Palette {
  readonly isDark: boolean;
  /** Minimum contrast of a foreground against every usual background of its kind. */
  readonly contrast: number;
  /** What the terminal's own foreground is likely to be. */
  readonly text: Rgb;
  readonly tones: Readonly<Record<ColouredTone, Rgb>>;
  readonly grounds: Readonly<Record<GroundTone, Rgb>>;
  /** By slot. */
  readonly members: readonly Rgb[];
  /** Indexes at 256 colours; without them the nearest readable ones. */
  readonly indexed?: IndexedPalette;
}

export interface IndexedPalette {
  readonly tones: Readonly<Record<ColouredTone, number>>;
  readonly grounds: Readonly<Record<"band" | "selected" | "code", number>>;
  readonly members: readonly number[];
}

/** Black and the backgrounds of popular dark schemes. */
export const DARK_BACKGROUNDS = ["#000000", "#0d1117", "#14161b", "#1e1e1e", "#282c34", "#002b36", "#300a24"].map(hex);
export const LIGHT_BACKGROUNDS = ["#ffffff", "#fcfbf8", "#fafafa", "#fdf6e3", "#f6f8fa", "#eff1f5"].map(hex);

interface Hues extends Record<"quiet" | "faint" | "ok" | "bad" | "ask", string> {
  readonly code: Readonly<Record<"keyword" | "string" | "number" | "type", string>>;
  readonly grounds: Readonly<Record<GroundTone, string>>;
  /**
   * Blue, pink, teal, violet: the order of hues on the page (`MEMBER_HUES`). Later ones differ from it, since a terminal
   * has no signs that tell near hues apart.
   */
  readonly members: readonly string[];
}

function paletteOf(isDark: boolean, contrast: number, hues: Hues, indexed?: IndexedPalette): Palette {
  const { quiet, faint, ok, bad, ask, code, grounds, members } = hues;
  return {
    isDark,
    contrast,
    text: hex(isDark ? "#e6e9ef" : "#1f2328"),
    tones: hexes({ quiet, faint, ok, bad, ask, added: ok, removed: bad, ...code, comment: quiet }),
    grounds: hexes(grounds),
    members: members.map(hex),
    ...(indexed === undefined ? {} : { indexed }),
  };
}

function hexes<Key extends string>(record: Readonly<Record<Key, string>>): Record<Key, Rgb> {
  const entries = (Object.entries(record) as [Key, string][]).map(([key, value]) => [key, hex(value)] as const);
  return Object.fromEntries(entries) as Record<Key, Rgb>;
}

const dark: Hues = {
  quiet: "#9aa4b2",
  faint: "#4b5361",
  ok: "#7fd88f",
  bad: "#ff7a7a",
  ask: "#ffb454",
  code: { keyword: "#b9b2e0", string: "#a9c7a0", number: "#d8bf98", type: "#9cc4cf" },
  grounds: {
    band: "#23272f",
    selected: "#2f3745",
    code: "#1d2027",
    addedLine: "#16301f",
    removedLine: "#3a1c21",
    addedWord: "#236b3a",
    removedWord: "#7d2f38",
    match: "#5c4a12",
  },
  members: ["#56c2f5", "#ff8ccb", "#35d6c6", "#d49bff", "#e5c8f5", "#e3977a", "#dfe06a", "#8f9dff"],
};

const light: Hues = {
  quiet: "#59626d",
  faint: "#c3c8cf",
  ok: "#14692c",
  bad: "#b3202c",
  ask: "#8a5200",
  code: { keyword: "#4c4490", string: "#3b6132", number: "#775018", type: "#1f6270" },
  grounds: {
    band: "#eef0f3",
    selected: "#dde3ec",
    code: "#f3f3f0",
    addedLine: "#e3f5e6",
    removedLine: "#fce8e8",
    addedWord: "#a9e2b5",
    removedWord: "#f6b8bb",
    match: "#ffe58a",
  },
  members: ["#0b6a9c", "#b01a72", "#00706b", "#7a2fc0", "#5c2a72", "#7a3a22", "#666600", "#2740c8"],
};

const darkIndexed: IndexedPalette = {
  tones: {
    quiet: 248,
    faint: 240,
    ok: 114,
    bad: 210,
    ask: 215,
    added: 114,
    removed: 210,
    keyword: 146,
    string: 151,
    number: 180,
    type: 152,
    comment: 248,
  },
  grounds: { band: 235, selected: 236, code: 234 },
  members: [81, 212, 44, 177, 225, 173, 185, 111],
};

/** After Okabe and Ito: distinguishable without red or green vision. */
const colourBlindDark = {
  ok: "#56b4e9",
  bad: "#ff7f0e",
  ask: "#f7ea48",
  grounds: {
    ...dark.grounds,
    addedLine: "#10283c",
    removedLine: "#3a2410",
    addedWord: "#1d4f7a",
    removedWord: "#74430f",
  },
  members: ["#56b4e9", "#f7ea48", "#ff7f0e", "#e5b3d2", "#009e73", "#ffffff"],
};
const colourBlindLight = {
  ok: "#0059a8",
  bad: "#9a3a00",
  ask: "#5e5100",
  grounds: {
    ...light.grounds,
    addedLine: "#e1effa",
    removedLine: "#fbeadb",
    addedWord: "#a9d3f5",
    removedWord: "#f5c9a0",
  },
  members: ["#0059a8", "#9a3a00", "#4a4a00", "#8c2f72", "#006e5c", "#000000"],
};

const ENOUGH = 4.5;
const HIGH = 7;

export const palettes = {
  dark: paletteOf(true, ENOUGH, dark, darkIndexed),
  light: paletteOf(false, ENOUGH, light),
  "high-contrast": paletteOf(true, HIGH, { ...dark, quiet: "#d8d8d8", faint: "#8a8a8a" }),
  "high-contrast-light": paletteOf(false, HIGH, { ...light, quiet: "#303030", faint: "#6a6a6a" }),
  "colour-blind": paletteOf(true, ENOUGH, { ...dark, ...colourBlindDark }),
  "colour-blind-light": paletteOf(false, ENOUGH, { ...light, ...colourBlindLight }),
} as const satisfies Record<string, Palette>;
