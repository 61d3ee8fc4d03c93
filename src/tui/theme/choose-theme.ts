/** Chooses a theme by the user's setting, the terminal's background and the environment. */
import { contrast, hex, luminance, type Rgb } from "./colour.ts";
import { createTheme, themeNames, type ThemeName } from "./create-theme.ts";
import type { ColourDepth, Theme } from "./theme.ts";

export interface ChooseThemeOptions {
  /** A theme's name, or "auto"; unknown names count as "auto". */
  wanted: string;
  /** Background reported by the terminal; without a report as COLORFGBG says, else dark. */
  background?: Rgb | "dark" | "light";
  env: Readonly<Record<string, string | undefined>>;
  hasLinks?: boolean;
  hasMotion?: boolean;
  /** The terminal does not draw the glyphs one column wide. */
  hasWideGlyphs?: boolean;
  /** The terminal's twelfth colour, as far as it is known. */
  brightBlue?: Rgb;
}

const BLACK = hex("#000000");
const WHITE = hex("#ffffff");
const READABLE = 4.5;

export function chooseTheme(options: ChooseThemeOptions): Theme {
  const { wanted, env, hasLinks = false, hasMotion = true, hasWideGlyphs = false } = options;
  const { background = supposedBackground(env) } = options;
  const isDark = typeof background === "string" ? background === "dark" : luminance(background) < 0.18;
  const depth = colourDepth(env);
  const name = depth === "none" ? "none" : themeName(wanted, isDark, depth);
  const isAscii = hasWideGlyphs || needsAscii(env);
  const ground = typeof background === "string" ? (isDark ? BLACK : WHITE) : background;
  const { brightBlue } = options;
  const hasReadableBlue = brightBlue !== undefined && contrast(brightBlue, ground) >= READABLE;
  return createTheme({ name, depth, isDark, hasLinks, hasMotion, isAscii, hasReadableBlue });
}

/** COLORFGBG names colours of the sixteen, "0;15" black on white. */
function supposedBackground(env: ChooseThemeOptions["env"]): "dark" | "light" {
  return /;(?:7|15)$/.test(env["COLORFGBG"] ?? "") ? "light" : "dark";
}

/** `high-contrast` and `colour-blind` follow the background; other themes have a fixed one. */
function themeName(wanted: string, isDark: boolean, depth: ColourDepth): ThemeName {
  if (!isDark && (wanted === "high-contrast" || wanted === "colour-blind")) return `${wanted}-light`;
  const known = themeNames.find((name) => name === wanted);
  if (known !== undefined) return known;
  if (depth === "16") return "ansi";
  return isDark ? "dark" : "light";
}

/** https://no-color.org: set and not empty disables colours. */
function colourDepth(env: ChooseThemeOptions["env"]): ColourDepth {
  if ((env["NO_COLOR"] ?? "") !== "") return "none";
  const term = env["TERM"] ?? "";
  if (term === "dumb") return "none";
  if (/^(?:truecolor|24bit)$/i.test(env["COLORTERM"] ?? "")) return "truecolor";
  if (/-direct$|kitty|ghostty|alacritty|wezterm/i.test(term)) return "truecolor";
  if (term.includes("256color") || (env["COLORTERM"] ?? "") !== "") return "256";
  if (env["WT_SESSION"] !== undefined) return "truecolor";
  return term === "" ? "256" : "16";
}

/** The Linux console lacks most glyphs; without any locale the terminal is asked instead. */
function needsAscii(env: ChooseThemeOptions["env"]): boolean {
  if (env["TERM"] === "linux") return true;
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "");
  return locale !== undefined && !/utf-?8/i.test(locale);
}
