/**
 * A code block on its own background, with its number at the right of the first row. Long lines break at the width,
 * never at words; in a column, which can be widened, they are cut instead.
 */
import type { Tokens } from "marked";
import type { Theme } from "../theme/theme.ts";
import { highlightLines } from "./highlight.ts";
import { visibleWidth } from "@earendil-works/pi-tui";
import { closeRow, cutRows, oneRow } from "./wrap-rows.ts";

/** An open block is highlighted only while it is short: each chunk would highlight all of it again. */
const OPEN_HIGHLIGHT_CHARS_MAX = 1500;

export interface CodeOptions {
  readonly theme: Theme;
  readonly width: number;
  /** More may follow. */
  readonly isOpen: boolean;
  /** For `/copy N`; absent for indented code. */
  readonly number?: number | undefined;
  /** Long lines are cut: the column can be widened. */
  readonly isCut?: boolean | undefined;
}

const INDENT = "  ";

/** One row on the background of code, which fills the width. */
function codeRow(text: string, { theme, width }: CodeOptions, number?: number): string {
  const label = number === undefined || width < NUMBERED_WIDTH_MIN ? "" : theme.paint("quiet", `${number} `);
  const hasBackground = theme.depth === "truecolor" || theme.depth === "256";
  const missing = width - visibleWidth(INDENT) - visibleWidth(text) - visibleWidth(label);
  const padding = hasBackground || label !== "" ? " ".repeat(Math.max(0, missing)) : "";
  return closeRow(theme.paint("code", `${INDENT}${text}${padding}${label}`), width);
}

/** Narrower blocks have no room for their number. */
const NUMBERED_WIDTH_MIN = 12;

/** The rows of lines, of which the first one is the first of the block or not. */
function rowsOf(lines: readonly string[], options: CodeOptions, isFirst: boolean): string[] {
  const room = Math.max(1, options.width - INDENT.length);
  return lines.flatMap((line, index) => {
    const number = isFirst && index === 0 ? options.number : undefined;
    const own = number === undefined || room < NUMBERED_WIDTH_MIN ? room : room - String(number).length - 2;
    const rows = options.isCut === true ? [oneRow(line, own)] : cutRows(line, own);
    return rows.map((row, at) => codeRow(row, options, at === 0 ? number : undefined));
  });
}

export function codeRows(token: Tokens.Code, options: CodeOptions, colour: Colour = highlightLines): string[] {
  const { theme, isOpen } = options;
  const lines = isOpen ? openLines(token, theme, colour) : closedLines(token.text, languageOf(token), theme, colour);
  return rowsOf(lines, options, true);
}

type Colour = typeof highlightLines;

function closedLines(text: string, language: string, theme: Theme, colour: Colour): readonly string[] {
  return colour(text, language, theme) ?? text.split("\n");
}

/** The last line stays plain until it is complete: each chunk would highlight it again. */
function openLines(token: Tokens.Code, theme: Theme, colour: Colour): readonly string[] {
  const { text } = token;
  const end = text.lastIndexOf("\n");
  const last = text.slice(end + 1);
  const isLong = text.length > OPEN_HIGHLIGHT_CHARS_MAX;
  const whole = end < 0 ? [] : closedLines(text.slice(0, end), isLong ? "" : languageOf(token), theme, colour);
  // A line started by a newline is drawn once it has text.
  return last === "" ? whole : [...whole, last];
}

function languageOf(token: Tokens.Code): string {
  return /^[\w+#.-]*/.exec(token.lang ?? "")?.[0].toLowerCase() ?? "";
}

/** A fence without its end. Indented code has none. */
export function isOpenFence(token: Tokens.Code): boolean {
  if (token.codeBlockStyle === "indented") return false;
  const marker = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  if (marker === undefined) return false;
  const last = token.raw.trimEnd();
  const lastLine = last.slice(last.lastIndexOf("\n") + 1).trim();
  return !(last.includes("\n") && lastLine.startsWith(marker) && /^(?:`+|~+)$/.test(lastLine));
}

/** Rows of a growing fence: complete lines are rendered once. */
export class OpenCodeRows {
  #key = "";
  #drawn = "";
  #rows: string[] = [];
  #coloured: { code: string; language: string; theme: Theme; lines: string[] | undefined } | undefined;

  readonly #colour: Colour = (code, language, theme) => {
    const known = this.#coloured;
    if (known?.code === code && known.language === language && known.theme === theme) return known.lines;
    const lines = highlightLines(code, language, theme);
    this.#coloured = { code, language, theme, lines };
    return lines;
  };

  render(token: Tokens.Code, options: CodeOptions): readonly string[] {
    if (token.text.length <= OPEN_HIGHLIGHT_CHARS_MAX) return codeRows(token, options, this.#colour);
    const key = `${options.width} ${options.number ?? ""} ${options.isCut === true} ${token.lang ?? ""}`;
    if (key !== this.#key || !token.text.startsWith(this.#drawn)) {
      this.#key = key;
      this.#drawn = "";
      this.#rows = [];
    }
    const lines = token.text.slice(this.#drawn.length).split("\n");
    const last = lines.pop() ?? "";
    for (const row of rowsOf(lines, options, this.#drawn === "")) this.#rows.push(row);
    this.#drawn = token.text.slice(0, token.text.length - last.length);
    return last === "" ? this.#rows : [...this.#rows, ...rowsOf([last], options, this.#drawn === "")];
  }

  forget(): void {
    this.#coloured = undefined;
    this.#key = "";
    this.#rows = [];
    this.#drawn = "";
  }
}
