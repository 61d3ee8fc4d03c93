/** Blocks of Markdown as rows of a width. Raw HTML is text like any other, mathematics stay as they were written. */
import { visibleWidth } from "@earendil-works/pi-tui";
import type { Token, Tokens } from "marked";
import type { Theme } from "../theme/theme.ts";
import { codeRows, isOpenFence } from "./code-rows.ts";
import type { GrowingRows } from "./growing-rows.ts";
import { childrenOf, inlineText, PLAIN, type InlineStyle } from "./inline-text.ts";
import { tableRows } from "./table-rows.ts";
import { wrapRows } from "./wrap-rows.ts";

export interface BlockOptions {
  readonly theme: Theme;
  readonly width: number;
  /** No more text will come, so a fence without an end is one with an end. */
  readonly isDone: boolean;
  /** For the words of a block that still grows. */
  readonly growing?: GrowingRows;
}

/** Lists and quotes inside each other deeper than this go on without indentation. */
const INDENT_DEPTH_MAX = 12;
/** What stands deeper than this is shown as it was written. */
const NESTED_MAX = 40;
/** What is left of a row for words, however deep they stand. */
const WIDTH_MIN = 8;

/** A row stands between blocks, except where a list follows its paragraph without one. */
export function isTight(before: Token | undefined, token: Token): boolean {
  return token.type === "list" && (before?.type === "paragraph" || before?.type === "text");
}

export function blockRows(token: Token, options: BlockOptions, style = PLAIN, depth = 0): string[] {
  const { theme, width } = options;
  if (depth > NESTED_MAX) return wrapRows(token.raw.trimEnd(), width);
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading": {
      const { depth: level } = token as Tokens.Heading;
      const text = inlineText(childrenOf(token), theme, { ...style, tone: "heading" });
      return wrapRows(`${theme.paint("heading", "#".repeat(level))} ${text}`, width);
    }
    case "hr":
      return [theme.paint("border", "─".repeat(width))];
    case "code": {
      const code = token as Tokens.Code;
      return codeRows(code, { theme, width, isOpen: !options.isDone && isOpenFence(code) });
    }
    case "table":
      return tableRows(token as Tokens.Table, width, theme);
    case "list":
      return listRows(token as Tokens.List, options, style, depth);
    case "blockquote":
      return quoteRows(token as Tokens.Blockquote, options, depth);
    case "html":
      return token.raw.trim() === "" ? [] : wrapRows(token.raw.replace(/\n+$/, ""), width);
    default: {
      const text = childrenOf(token).length > 0 ? inlineText(childrenOf(token), theme, style) : token.raw;
      if (text.trim() === "") return [];
      const whole = text.replace(/\n+$/, "");
      return depth === 0 && options.growing !== undefined
        ? options.growing.render(whole, width)
        : wrapRows(whole, width);
    }
  }
}

function quoteRows(quote: Tokens.Blockquote, options: BlockOptions, depth: number): string[] {
  const { theme, width } = options;
  const style: InlineStyle = { tone: "quote", decorations: [] };
  const bar = depth < INDENT_DEPTH_MAX && width > WIDTH_MIN + 2 ? `${theme.paint("border", "│")} ` : "";
  const inner = { ...options, width: width - visibleWidth(bar) };
  return nested(quote.tokens, inner, style, depth + 1).map((row) => bar + row);
}

function listRows(list: Tokens.List, options: BlockOptions, style: InlineStyle, depth: number): string[] {
  const { theme, width } = options;
  const rows: string[] = [];
  const first = typeof list.start === "number" ? list.start : 1;
  list.items.forEach((item, index) => {
    const task = item.task ? `[${item.checked === true ? "x" : " "}] ` : "";
    const marker = `${list.ordered ? `${first + index}.` : "•"} ${task}`;
    const indent = depth < INDENT_DEPTH_MAX && width - marker.length >= WIDTH_MIN ? marker.length : 0;
    const made = nested(item.tokens, { ...options, width: width - indent }, style, depth + 1);
    if (made.length === 0) made.push("");
    if (list.loose && index > 0) rows.push("");
    made.forEach((row, at) => {
      const before = at === 0 && indent > 0 ? theme.paint("accent", marker) : " ".repeat(indent);
      rows.push(row === "" && at > 0 ? "" : before + row);
    });
  });
  return rows;
}

/** Inside lists and quotes the blocks keep the distances of their source. */
function nested(tokens: readonly Token[], options: BlockOptions, style: InlineStyle, depth: number): string[] {
  const rows: string[] = [];
  let hasGap = false;
  for (const token of tokens) {
    const made = blockRows(token, options, style, depth);
    if (token.type === "space") hasGap = rows.length > 0;
    if (made.length === 0) continue;
    if (hasGap) rows.push("");
    hasGap = false;
    for (const row of made) rows.push(row);
  }
  return rows;
}
