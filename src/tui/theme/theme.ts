/**
 * The only source of colours and styles. Colour never carries meaning alone: a glyph or a word repeats it, so that a
 * theme without colours is complete.
 */

export type Tone =
  | "plain"
  | "dim"
  | "strong"
  | "accent"
  | "user"
  | "good"
  | "warn"
  | "bad"
  | "border"
  | "heading"
  | "link"
  | "code"
  | "quote"
  | "added"
  | "removed"
  | "callback"
  | "selected"
  | "match";

/** Kinds of highlighted code. */
export type SyntaxScope =
  | "keyword"
  | "string"
  | "comment"
  | "number"
  | "title"
  | "type"
  | "attribute"
  | "variable"
  | "meta";

export type ColourDepth = "none" | "16" | "256" | "truecolor";

/** Text attributes beside colour. */
export type Decoration = "bold" | "italic" | "underline" | "strike";

export interface Theme {
  readonly name: string;
  readonly isDark: boolean;
  readonly depth: ColourDepth;
  /** The terminal supports hyperlinks (OSC 8). */
  readonly hasLinks: boolean;
  /** `text` must be terminal-safe. Closes what it opens, so that painted texts can be joined. */
  paint(tone: Tone, text: string): string;
  /** In the member's configured colour, else one derived from its name. */
  member(name: string, text: string, colour?: string): string;
  syntax(scope: SyntaxScope, text: string): string;
  decorate(decoration: Decoration, text: string): string;
}
