/** Tones of each theme, before they are adjusted for readability. */
import { hex, type Rgb } from "./colour.ts";
import type { SyntaxScope, Tone } from "./theme.ts";

export interface TextStyle {
  readonly colour?: Rgb;
  readonly background?: Rgb;
  readonly attributes?: readonly Attribute[];
}

export type Attribute = "bold" | "italic" | "underline" | "strike" | "reverse";

export interface Palette {
  readonly isDark: boolean;
  /** Minimum contrast of a foreground against every usual background of its kind. */
  readonly contrast: number;
  readonly tones: Readonly<Record<Tone, TextStyle>>;
  readonly syntax: Readonly<Record<SyntaxScope, TextStyle>>;
  /** One per member, while they last. */
  readonly members: readonly Rgb[];
}

/** Black and the backgrounds of popular dark schemes. */
export const DARK_BACKGROUNDS = ["#000000", "#0d1117", "#1e1e1e", "#282c34", "#002b36", "#300a24"].map(hex);
export const LIGHT_BACKGROUNDS = ["#ffffff", "#fafafa", "#fdf6e3", "#f6f8fa", "#eff1f5"].map(hex);

interface Hues {
  grey: string;
  accent: string;
  good: string;
  warn: string;
  bad: string;
  link: string;
  code: string;
  callback: string;
  selected: readonly [foreground: string, background: string];
}

function paletteOf(isDark: boolean, contrast: number, hues: Hues, members: readonly string[]): Palette {
  const style = (colour: string, ...attributes: Attribute[]): TextStyle => ({ colour: hex(colour), attributes });
  const [selectedText, selectedBack] = hues.selected;
  return {
    isDark,
    contrast,
    tones: {
      plain: {},
      dim: style(hues.grey),
      strong: { attributes: ["bold"] },
      accent: style(hues.accent),
      // No colour: colours are for members.
      user: { attributes: ["bold"] },
      good: style(hues.good),
      warn: style(hues.warn),
      bad: style(hues.bad),
      border: style(hues.grey),
      heading: style(hues.accent, "bold"),
      link: style(hues.link, "underline"),
      code: style(hues.code),
      quote: style(hues.grey, "italic"),
      added: style(hues.good),
      removed: style(hues.bad),
      callback: style(hues.callback),
      selected: { colour: hex(selectedText), background: hex(selectedBack) },
      match: { colour: hex("#000000"), background: hex("#ffd75f") },
    },
    syntax: {
      keyword: style(hues.callback),
      string: style(hues.good),
      comment: style(hues.grey, "italic"),
      number: style(hues.warn),
      title: style(hues.link),
      type: style(hues.accent),
      attribute: style(hues.code),
      variable: style(hues.bad),
      meta: style(hues.grey),
    },
    members: members.map(hex),
  };
}

const darkHues: Hues = {
  grey: "#a0a8b0",
  accent: "#6fd0e8",
  good: "#7fd38a",
  warn: "#f0b75a",
  bad: "#ff8a8a",
  link: "#86b6ff",
  code: "#e2c08d",
  callback: "#d3a4ff",
  selected: ["#ffffff", "#264f78"],
};

const lightHues: Hues = {
  grey: "#5a626b",
  accent: "#00697d",
  good: "#116d2c",
  warn: "#8a4f00",
  bad: "#b3202c",
  link: "#0a52c4",
  code: "#7a3e00",
  callback: "#7a2fb5",
  selected: ["#000000", "#add6ff"],
};

/** Distinct from each other and from the tones of outcomes. */
const darkMembers = ["#56c2f5", "#d49bff", "#ff8ccb", "#35d6c6", "#8f9dff", "#dfe06a", "#e3977a", "#e5c8f5"];
const lightMembers = ["#0b6a9c", "#7a2fc0", "#b01a72", "#00706b", "#2740c8", "#666600", "#7a3a22", "#5c2a72"];

/** After Okabe and Ito: distinguishable without red or green vision. */
const colourBlindDark = { good: "#56b4e9", bad: "#ff7f0e", warn: "#f7ea48", callback: "#e5b3d2" };
const colourBlindLight = { good: "#0059a8", bad: "#9a3a00", warn: "#5e5100", callback: "#8c2f72" };
const colourBlindMembers = ["#56b4e9", "#f7ea48", "#ff7f0e", "#e5b3d2", "#009e73", "#ffffff"];
const colourBlindLightMembers = ["#0059a8", "#9a3a00", "#4a4a00", "#8c2f72", "#006e5c", "#000000"];

const ENOUGH = 4.5;
const HIGH = 7;

export const palettes = {
  dark: paletteOf(true, ENOUGH, darkHues, darkMembers),
  light: paletteOf(false, ENOUGH, lightHues, lightMembers),
  "high-contrast": paletteOf(
    true,
    HIGH,
    { ...darkHues, grey: "#d8d8d8", selected: ["#000000", "#ffffff"] },
    darkMembers,
  ),
  "high-contrast-light": paletteOf(
    false,
    HIGH,
    { ...lightHues, grey: "#303030", selected: ["#ffffff", "#000000"] },
    lightMembers,
  ),
  "colour-blind": paletteOf(true, ENOUGH, { ...darkHues, ...colourBlindDark }, colourBlindMembers),
  "colour-blind-light": paletteOf(false, ENOUGH, { ...lightHues, ...colourBlindLight }, colourBlindLightMembers),
} as const satisfies Record<string, Palette>;
