/**
 * How words look. Everything that is drawn asks a theme; nothing else writes a colour. Colour never carries meaning
 * alone: a glyph or a word stands beside it, so a theme without colours is a whole one.
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

/** What a piece of highlighted code is. */
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

/** What is done to letters beside colouring them. */
export type Decoration = "bold" | "italic" | "underline" | "strike";

export interface Theme {
  readonly name: string;
  readonly isDark: boolean;
  readonly depth: ColourDepth;
  /** The terminal knows hyperlinks (OSC 8). */
  readonly hasLinks: boolean;
  /** `text` is already safe for a terminal. Ends what it began, so painted texts can stand side by side. */
  paint(tone: Tone, text: string): string;
  /** In the member's colour: the one it was given, else one that its name chooses. */
  member(name: string, text: string, colour?: string): string;
  syntax(scope: SyntaxScope, text: string): string;
  decorate(decoration: Decoration, text: string): string;
}
