/** Markdown blocks as rows of a width. Raw HTML is text; mathematics stay as written. */
import { visibleWidth } from "@earendil-works/pi-tui";
import type { Token, Tokens } from "marked";
import { largest } from "../../kit/largest.ts";
import type { Theme } from "../theme/theme.ts";
import { codeRows, isOpenFence } from "./code-rows.ts";
import type { GrowingRows } from "./growing-rows.ts";
import { childrenOf, type InlineStyle, inlineText, PLAIN, plainText } from "./inline-text.ts";
import { closeRow, wrapRows } from "./wrap-rows.ts";

/** A column is at least as wide as its longest word, up to this. */
const WORD_WIDTH_MAX = 16;

const GRID_COLUMNS_MAX = 30;

export interface BlockOptions {
  readonly theme: Theme;
  readonly width: number;
  /** The text is complete, so an open fence counts as closed. */
  readonly isDone: boolean;
  /** For the text of a growing block. */
  readonly growing?: GrowingRows;
}

/** Deeper lists and quotes are not indented further. */
const INDENT_DEPTH_MAX = 12;

/** Deeper blocks are shown as written. */
const NESTED_MAX = 40;

/** Minimum columns for text at any depth. */
const WIDTH_MIN = 8;

/** A blank row separates blocks, except a list directly below its paragraph. */
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

/** Inside lists and quotes blocks keep the spacing of their source. */
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

/** Tables: a grid when the longest words fit, else one record below the other for narrow screens. */
interface Column {
  readonly natural: number;
  readonly least: number;
  readonly align: Tokens.Table["align"][number];
}

function tableRows(table: Tokens.Table, width: number, theme: Theme): string[] {
  const header = table.header.map((cell) => inlineText(cell.tokens, theme, { tone: "plain", decorations: ["bold"] }));
  const body = table.rows.map((row) => row.map((cell) => inlineText(cell.tokens, theme, PLAIN)));
  const columns = header.map((title, index): Column => {
    const cells = [title, ...body.map((row) => row[index] ?? "")];
    return {
      natural: largest(
        cells.map((cell) => visibleWidth(cell)),
        1,
      ),
      least: largest(
        cells.map((cell) => Math.min(WORD_WIDTH_MAX, longestWord(cell))),
        1,
      ),
      align: table.align[index] ?? null,
    };
  });
  const room = width - 3 * columns.length - 1;
  const least = columns.reduce((sum, column) => sum + column.least, 0);
  if (columns.length > GRID_COLUMNS_MAX || least > room) return records(table, body, width, theme);
  return grid(header, body, fitWidths(columns, room), columns, width, theme);
}

function longestWord(text: string): number {
  return largest(
    text.split(/\s+/).map((word) => visibleWidth(word)),
    0,
  );
}

/** Each column gets its minimum; the rest is shared in proportion. */
function fitWidths(columns: readonly Column[], room: number): number[] {
  const natural = columns.reduce((sum, column) => sum + column.natural, 0);
  if (natural <= room) return columns.map((column) => column.natural);
  const spare = room - columns.reduce((sum, column) => sum + column.least, 0);
  const wanted = columns.reduce((sum, { natural: most, least }) => sum + Math.max(0, most - least), 0);
  return columns.map(({ natural: most, least }) => least + Math.floor((spare * Math.max(0, most - least)) / wanted));
}

function grid(
  header: readonly string[],
  body: readonly (readonly string[])[],
  widths: readonly number[],
  columns: readonly Column[],
  width: number,
  theme: Theme,
): string[] {
  const border = (text: string) => theme.paint("border", text);
  const line = (left: string, middle: string, right: string) =>
    border(`${left}${widths.map((one) => "─".repeat(one + 2)).join(middle)}${right}`);
  const rows = [line("┌", "┬", "┐")];
  const push = (cells: readonly string[]) => {
    const wrapped = widths.map((one, index) => wrapRows(cells[index] ?? "", one));
    const height = Math.max(1, ...wrapped.map((lines) => lines.length));
    for (let at = 0; at < height; at += 1) {
      const cells = wrapped.map((lines, index) =>
        pad(lines[at] ?? "", widths[index] ?? 1, columns[index]?.align ?? null),
      );
      rows.push(closeRow(`${border("│")} ${cells.join(` ${border("│")} `)} ${border("│")}`, width));
    }
  };
  push(header);
  rows.push(line("├", "┼", "┤"));
  for (const cells of body) push(cells);
  rows.push(line("└", "┴", "┘"));
  return rows;
}

function pad(text: string, width: number, align: Column["align"]): string {
  const missing = Math.max(0, width - visibleWidth(text));
  if (align === "right") return " ".repeat(missing) + text;
  if (align !== "center") return text + " ".repeat(missing);
  const left = Math.floor(missing / 2);
  return " ".repeat(left) + text + " ".repeat(missing - left);
}

/** `title: cell`, one per line. */
function records(table: Tokens.Table, body: readonly (readonly string[])[], width: number, theme: Theme): string[] {
  const titles = table.header.map((cell) => plainText(cell.tokens));
  if (body.length === 0) return wrapRows(titles.map((title) => theme.decorate("bold", title)).join(" · "), width);
  const rows: string[] = [];
  body.forEach((cells, index) => {
    if (index > 0) rows.push(theme.paint("border", "─".repeat(Math.min(width, 8))));
    cells.forEach((cell, column) => {
      const title = titles[column] ?? "";
      const label = title === "" ? "" : `${theme.decorate("bold", `${title}:`)} `;
      for (const row of wrapRows(`${label}${cell}`, width)) rows.push(row);
    });
  });
  return rows;
}
