/**
 * The only source of colours, styles and glyphs. Hue says who (members) or how it went (ok, bad, ask), nothing else; a
 * glyph or a word repeats it, so that a theme without colours is complete.
 */
import type { GlyphName } from "./glyphs.ts";

/** Colours of text. */
export type TextTone =
  /** Answers: the terminal's own foreground. */
  | "text"
  /** You, in bold on the band. */
  | "you"
  /** Finished work, models, times, prices. */
  | "quiet"
  /** Rules and separators. */
  | "faint"
  | "ok"
  | "bad"
  /** Needs you; a limit is near. */
  | "ask"
  /** Keys in hints. */
  | "key"
  | "added"
  | "removed"
  | "keyword"
  | "string"
  | "number"
  | "type"
  | "comment";

/** Backgrounds: they keep the colours of the text inside. */
export type GroundTone =
  /** Your message. */
  | "band"
  | "selected"
  | "code"
  | "addedLine"
  | "removedLine"
  /** Changed words in a diff. */
  | "addedWord"
  | "removedWord"
  /** What was searched for. */
  | "match";

export type Tone = TextTone | GroundTone;

export type ColourDepth = "none" | "16" | "256" | "truecolor";

/** Text attributes beside colour. */
export type Decoration = "bold" | "italic" | "underline" | "strike";

export interface Theme {
  readonly name: string;
  readonly isDark: boolean;
  readonly depth: ColourDepth;
  /** The terminal supports hyperlinks (OSC 8). */
  readonly hasLinks: boolean;
  readonly isAscii: boolean;
  /** `text` must be terminal-safe. Closes what it opens, so that painted texts can be joined and nested. */
  paint(tone: Tone, text: string): string;
  /** In the colour of the member's slot (`assignColours`); without one, in a colour derived from its name. */
  member(name: string, text: string, colour?: string): string;
  decorate(decoration: Decoration, text: string): string;
  glyph(name: GlyphName): string;
  /** The frame of every spinner at that time; empty when nothing may move. */
  spinner(now: number): string;
}
