/** The glyphs of the screen: one meaning each, one column wide, never an emoji, each with an ASCII form. */

const GLYPHS = {
  /** You: the prompt, your message, the row you are on. */
  you: ["❯", ">"],
  /** A member's bar, and the one with the focus. */
  bar: ["▎", "|"],
  focusedBar: ["▌", "#"],
  member: ["●", "o"],
  ok: ["✓", "ok"],
  failed: ["✗", "x"],
  /** By you or by a rule: neutral. */
  denied: ["⊘", "no"],
  needsYou: ["◆", "!"],
  /** By you. */
  stopped: ["■", "#"],
  /** Its turn comes. */
  waiting: ["◌", "."],
  /** Waits for your word. */
  held: ["‖", ":"],
  folded: ["▸", "+"],
  unfolded: ["▾", "-"],
  /** Said into a running turn. */
  steered: ["↳", "`"],
  more: ["…", "..."],
  up: ["↑", "^"],
  down: ["↓", "v"],
  left: ["←", "<"],
  right: ["→", ">"],
  thinking: ["∴", "~"],
  /** Trying again by itself. */
  retrying: ["↻", "@"],
  output: ["│", "|"],
  outputEnd: ["└", "`"],
  agree: ["=", "="],
  differ: ["≠", "!="],
  /** Between facts. */
  dot: ["·", "-"],
  rule: ["─", "-"],
  divider: ["│", "|"],
  /** The branch has uncommitted changes. */
  dirty: ["*", "*"],
  minus: ["−", "-"],
} as const satisfies Record<string, readonly [glyph: string, ascii: string]>;

export type GlyphName = keyof typeof GLYPHS;

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const ASCII_SPINNER = ["|", "/", "-", "\\"];
/** Bars where no colour tells members apart. */
const COLOURLESS = { bar: "│", focusedBar: "┃" } as const;
/** One clock turns every spinner in step. */
export const FRAME_MS = 100;

export interface GlyphOptions {
  readonly isAscii: boolean;
  readonly hasColours: boolean;
}

export function glyphOf(name: GlyphName, { isAscii, hasColours }: GlyphOptions): string {
  if (isAscii) return GLYPHS[name][1];
  return !hasColours && (name === "bar" || name === "focusedBar") ? COLOURLESS[name] : GLYPHS[name][0];
}

export function spinnerFrame(now: number, isAscii: boolean): string {
  const frames = isAscii ? ASCII_SPINNER : SPINNER;
  return frames[Math.floor(now / FRAME_MS) % frames.length] ?? "";
}

/**
 * What is written to a terminal without such signs, or that draws them two columns wide: signs that no theme has chosen,
 * as in hints and answers, one column for one column.
 */
export function inAscii(written: string): string {
  return written.replaceAll(SIGNS, (sign) => TO_ASCII.get(sign) ?? sign);
}

const LOOSE: Readonly<Record<string, string>> = {
  "-": "−–—━┄┈",
  "|": "┃▍▏",
  "+": "╭╮╰╯┌┐┘├┤┬┴┼",
  "*": `•∙${SPINNER.join("")}`,
  "<": "◂◀",
  ">": "▶›",
  "=": "⏸",
  "~": "…",
  x: "×✗",
  v: "✓",
  '"': "“”„",
  "'": "‘’‚",
};

const TO_ASCII = new Map<string, string>([
  ...Object.values(GLYPHS).flatMap(([glyph, ascii]) => (ascii.length === 1 ? [[glyph, ascii] as const] : [])),
  ...Object.entries(LOOSE).flatMap(([ascii, signs]) => Array.from(signs, (sign) => [sign, ascii] as const)),
]);

const SIGNS = new RegExp(`[${[...TO_ASCII.keys()].join("")}]`, "g");
