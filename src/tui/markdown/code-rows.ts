/** A code block with its fences. Long lines break at the width, never at words, so nothing is lost or moved. */
import type { Tokens } from "marked";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme } from "../theme/theme.ts";
import { highlightLines } from "./highlight.ts";
import { cutRows, oneRow } from "./wrap-rows.ts";

/** An open block is highlighted only while it is short: each chunk would highlight all of it again. */
const OPEN_HIGHLIGHT_CHARS_MAX = 1500;

export interface CodeOptions {
  readonly theme: Theme;
  readonly width: number;
  /** More may follow. */
  readonly isOpen: boolean;
}

export function codeRows(token: Tokens.Code, options: CodeOptions, colour: Colour = highlightLines): string[] {
  const { theme, width, isOpen } = options;
  const lines = isOpen ? openLines(token, theme, colour) : closedLines(token.text, languageOf(token), theme, colour);
  const rows = [openingRow(token, theme, width)];
  for (const line of lines) for (const row of cutRows(line, width)) rows.push(row);
  if (!isOpen) rows.push(theme.paint("dim", "```"));
  return rows;
}

type Colour = typeof highlightLines;

function closedLines(text: string, language: string, theme: Theme, colour: Colour): readonly string[] {
  return colour(text, language, theme) ?? text.split("\n").map((line) => theme.paint("code", line));
}

/** The last line stays plain until it is complete: each chunk would highlight it again. */
function openLines(token: Tokens.Code, theme: Theme, colour: Colour): readonly string[] {
  const { text } = token;
  const end = text.lastIndexOf("\n");
  const last = text.slice(end + 1);
  const isLong = text.length > OPEN_HIGHLIGHT_CHARS_MAX;
  const whole = end < 0 ? [] : closedLines(text.slice(0, end), isLong ? "" : languageOf(token), theme, colour);
  // A line started by a newline is drawn once it has text.
  return last === "" ? whole : [...whole, theme.paint("code", last)];
}

function openingRow(token: Tokens.Code, theme: Theme, width: number): string {
  return oneRow(theme.paint("dim", `\`\`\`${terminalSafeLine(token.lang ?? "")}`), width);
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
    const { theme, width } = options;
    const key = `${width} ${token.lang ?? ""}`;
    if (key !== this.#key || !token.text.startsWith(this.#drawn)) {
      this.#key = key;
      this.#drawn = "";
      this.#rows = [openingRow(token, theme, width)];
    }
    const lines = token.text.slice(this.#drawn.length).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      for (const row of cutRows(theme.paint("code", line), width)) this.#rows.push(row);
    }
    this.#drawn = token.text.slice(0, token.text.length - last.length);
    return last === "" ? this.#rows : [...this.#rows, ...cutRows(theme.paint("code", last), width)];
  }

  forget(): void {
    this.#coloured = undefined;
    this.#key = "";
    this.#rows = [];
    this.#drawn = "";
  }
}
