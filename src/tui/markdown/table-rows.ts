/** Tables: a grid when the longest words fit, else one record under the other, so that narrow screens stay readable. */
import { visibleWidth } from "@earendil-works/pi-tui";
import type { Tokens } from "marked";
import type { Theme } from "../theme/theme.ts";
import { inlineText, PLAIN, plainText } from "./inline-text.ts";
import { closeRow, wrapRows } from "./wrap-rows.ts";
import { largest } from "../../kit/largest.ts";

/** A column is at least as wide as its longest word, up to this. */
const WORD_WIDTH_MAX = 16;
const GRID_COLUMNS_MAX = 30;

interface Column {
  readonly natural: number;
  readonly least: number;
  readonly align: Tokens.Table["align"][number];
}

export function tableRows(table: Tokens.Table, width: number, theme: Theme): string[] {
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

/** Every column what it needs at least; what is left goes to those that want more, in proportion. */
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

/** `title: cell`, a line each. */
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
