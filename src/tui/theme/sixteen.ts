/**
 * Looks with sixteen colours, which are the user's own: few are readable everywhere, so that most tones are the
 * terminal's foreground and members also differ in attributes.
 */
import type { CellStyle } from "./palettes.ts";
import type { GroundTone, TextTone } from "./theme.ts";

const RED = 1;
const GREEN = 2;
const BLUE = 4;
const MAGENTA = 5;
const BRIGHT_RED = 9;
const BRIGHT_YELLOW = 11;
const BRIGHT_BLUE = 12;
const BRIGHT_MAGENTA = 13;
const BRIGHT_CYAN = 14;

const BOLD: CellStyle = { attributes: ["bold"] };
const ITALIC: CellStyle = { attributes: ["italic"] };

const DARK_TEXTS: Partial<Record<TextTone, CellStyle>> = {
  ok: { colour: GREEN },
  added: { colour: GREEN },
  bad: { colour: BRIGHT_RED },
  removed: { colour: BRIGHT_RED },
  ask: { colour: BRIGHT_YELLOW },
  comment: ITALIC,
  key: BOLD,
};

const LIGHT_TEXTS: Partial<Record<TextTone, CellStyle>> = {
  bad: { colour: RED },
  removed: { colour: RED },
  ask: BOLD,
  comment: ITALIC,
  key: BOLD,
};

export function textsOfSixteen(isDark: boolean): Partial<Record<TextTone, CellStyle>> {
  return isDark ? DARK_TEXTS : LIGHT_TEXTS;
}

export function groundsOfSixteen(isDark: boolean, isColourless: boolean): Readonly<Record<GroundTone, CellStyle>> {
  const { added = {}, removed = {} } = isColourless ? {} : textsOfSixteen(isDark);
  return {
    band: {},
    code: {},
    selected: { attributes: ["reverse"] },
    match: { attributes: ["reverse"] },
    addedLine: added,
    removedLine: removed,
    addedWord: { ...added, attributes: ["underline"] },
    removedWord: { ...removed, attributes: ["underline"] },
  };
}

const plain = (colour?: number): CellStyle => (colour === undefined ? {} : { colour });
const underlined = (colour?: number): CellStyle => ({ ...plain(colour), attributes: ["underline"] });
const reversed = (colour?: number): CellStyle => ({ ...plain(colour), attributes: ["reverse"] });

/** Bright blue is unreadable in many palettes. */
export function membersOfSixteen(isDark: boolean, hasReadableBlue: boolean): readonly CellStyle[] {
  const own = [underlined(), reversed()];
  const [a, b] = isDark ? [BRIGHT_CYAN, BRIGHT_MAGENTA] : [BLUE, MAGENTA];
  if (!isDark || !hasReadableBlue) {
    return [...[a, b].map(plain), ...[a, b].map(underlined), ...[a, b].map(reversed), ...own];
  }
  const three = [a, b, BRIGHT_BLUE];
  return [...three.map(plain), ...three.map(underlined), reversed(a), reversed(b)];
}
