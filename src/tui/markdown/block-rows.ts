/** Markdown blocks as rows of a width. Raw HTML is text; mathematics stay as written. */
import { visibleWidth } from "@earendil-works/pi-tui";
import type { Token, Tokens } from "marked";
import { largest } from "../../kit/largest.ts";
import type { Theme } from "../theme/theme.ts";
import { codeRows, isOpenFence } from "./code-rows.ts";
import type { GrowingRows } from "./growing-rows.ts";
import { childrenOf, type InlineContext, type InlineStyle, inlineText, PLAIN, plainText } from "./inline-text.ts";
import { closeRow, wrapRows } from "./wrap-rows.ts";

const GRID_COLUMNS_MAX = 30;

export interface BlockOptions {
  readonly theme: Theme;
  readonly width: number;
  /** The text is complete, so an open fence counts as closed. */
  readonly isDone: boolean;
  /** Numbers of fenced code, in order. */
  readonly codes?: { next: number };
  /** Long lines of code are cut: the column can be widened. */
  readonly isCut?: boolean;
  /** Files are linked to below this directory. */
  readonly cwd?: string;
  /** For the text of a growing block. */
  readonly growing?: GrowingRows;
}

/** Deeper lists and quotes are not indented further. */
const INDENT_DEPTH_MAX = 12;

/** Deeper blocks are shown as written. */
const NESTED_MAX = 40;

/** Longer rows of text are hard to read; code and tables use all columns. */
export const TEXT_WIDTH_MAX = 100;

/** Minimum columns for text at any depth. */
const WIDTH_MIN = 8;

/** A blank row separates blocks, except a list directly below its paragraph. */
export function isTight(before: Token | undefined, token: Token): boolean {
  return token.type === "list" && (before?.type === "paragraph" || before?.type === "text");
}

export function blockRows(token: Token, options: BlockOptions, style = PLAIN, depth = 0): string[] {
  const { theme, cwd = "" } = options;
  const width = Math.min(options.width, TEXT_WIDTH_MAX);
  if (depth > NESTED_MAX) return wrapRows(token.raw.trimEnd(), width);
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading": {
      const decorations = [...style.decorations, "bold"] as const;
      return wrapRows(inlineText(childrenOf(token), { theme, cwd }, { ...style, decorations }), width);
    }
    case "hr":
      return [theme.paint("faint", "─".repeat(width))];
    case "code": {
      const code = token as Tokens.Code;
      const isOpen = !options.isDone && isOpenFence(code);
      const number = isFenced(code) && options.codes !== undefined ? options.codes.next++ : undefined;
      return codeRows(code, { theme, width: options.width, isOpen, number, isCut: options.isCut });
    }
    case "table":
      return tableRows(token as Tokens.Table, options.width, { theme, cwd });
    case "list":
      return listRows(token as Tokens.List, options, style, depth);
    case "blockquote":
      return quoteRows(token as Tokens.Blockquote, options, depth);
    case "html":
      return token.raw.trim() === "" ? [] : wrapRows(token.raw.replace(/\n+$/, ""), width);
    default: {
      const text = childrenOf(token).length > 0 ? inlineText(childrenOf(token), { theme, cwd }, style) : token.raw;
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
  const style: InlineStyle = { tone: "quiet", decorations: [] };
  const bar = depth < INDENT_DEPTH_MAX && width > WIDTH_MIN + 2 ? `${theme.paint("faint", "│")} ` : "";
  const inner = { ...options, width: width - visibleWidth(bar) };
  return nested(quote.tokens, inner, style, depth + 1).map((row) => bar + row);
}

function listRows(list: Tokens.List, options: BlockOptions, style: InlineStyle, depth: number): string[] {
  const { width } = options;
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
      const before = at === 0 && indent > 0 ? marker : " ".repeat(indent);
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

/** Fenced code of a token and all below it. */
export function countCodes(tokens: readonly Token[]): number {
  let count = 0;
  for (const token of tokens) {
    if (token.type === "code" && isFenced(token as Tokens.Code)) count += 1;
    const inner = token.type === "list" ? (token as Tokens.List).items : childrenOf(token);
    if (token.type === "list" || token.type === "list_item" || token.type === "blockquote") count += countCodes(inner);
  }
  return count;
}

function isFenced(token: Tokens.Code): boolean {
  return token.codeBlockStyle !== "indented";
}

/** Tables have no lines: a quiet header, and a list of records where there is no room for columns. */
interface Column {
  readonly natural: number;
  readonly align: Tokens.Table["align"][number];
}

/** Between columns, where there is room for it and where there is not. */
const COLUMN_GAPS = [6, 3] as const;

/** Narrower tables become lists. */
const GRID_WIDTH_MIN = 24;

/** A column is never shrunk below this. */
const COLUMN_WIDTH_MIN = 6;

function tableRows(table: Tokens.Table, width: number, context: InlineContext): string[] {
  const { theme } = context;
  const header = table.header.map((cell) => inlineText(cell.tokens, context, { ...PLAIN, tone: "quiet" }));
  const body = table.rows.map((row) => row.map((cell) => inlineText(cell.tokens, context, PLAIN)));
  const columns = header.map((title, index): Column => {
    const cells = [title, ...body.map((row) => row[index] ?? "")];
    const natural = largest(
      cells.map((cell) => visibleWidth(cell)),
      1,
    );
    return { natural, align: table.align[index] ?? null };
  });
  const naturalWidth = columns.reduce((sum, { natural }) => sum + natural, 0);
  const [wide, narrow] = COLUMN_GAPS;
  const gap = naturalWidth + wide * (columns.length - 1) <= width ? wide : narrow;
  const room = width - gap * (columns.length - 1);
  const widths = fitWidths(
    columns.map(({ natural }) => natural),
    room,
  );
  if (width < GRID_WIDTH_MIN || columns.length > GRID_COLUMNS_MAX || widths === undefined) {
    return records(table, body, Math.min(width, TEXT_WIDTH_MAX), theme);
  }
  const rows: string[] = [];
  for (const cells of [header, ...body]) {
    const wrapped = widths.map((one, index) => wrapRows(cells[index] ?? "", one));
    const height = Math.max(1, ...wrapped.map((lines) => lines.length));
    for (let at = 0; at < height; at += 1) {
      const shown = wrapped.map((lines, index) =>
        pad(lines[at] ?? "", widths[index] ?? 1, columns[index]?.align ?? null),
      );
      rows.push(closeRow(shown.join(" ".repeat(gap)).trimEnd(), width));
    }
  }
  return rows;
}

/** The widest columns shrink first; undefined when they would become too narrow to read. */
function fitWidths(natural: readonly number[], room: number): readonly number[] | undefined {
  const total = (most: number) => natural.reduce((sum, one) => sum + Math.min(one, most), 0);
  let most = largest(natural, 1);
  while (most > COLUMN_WIDTH_MIN && total(most) > room) most -= 1;
  return total(most) > room ? undefined : natural.map((one) => Math.min(one, most));
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
    if (index > 0) rows.push(theme.paint("faint", "─".repeat(Math.min(width, 8))));
    cells.forEach((cell, column) => {
      const title = titles[column] ?? "";
      const label = title === "" ? "" : `${theme.decorate("bold", `${title}:`)} `;
      for (const row of wrapRows(`${label}${cell}`, width)) rows.push(row);
    });
  });
  return rows;
}
