/** A screen of the terminal app as a picture: every piece of one look is a text of exactly as many columns. */
import type { CellStyle, CellRun } from "../test/tui/cell-styles.ts";

export interface Picture {
  readonly rows: readonly (readonly CellRun[])[];
  readonly columns: number;
  readonly cursor: { readonly column: number; readonly row: number } | undefined;
  /** What is to be seen, for those who do not see it. */
  readonly label: string;
}

const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
const FONT_SIZE = 14;
const COLUMN = 8.4;
const ROW = 18;
const EDGE = 14;
/** From the top of a row to the line that letters stand on. */
const BASELINE = 13;
const COLOUR = "#d4d4d4";
const BACKGROUND = "#1e1e1e";

export function screenSvg({ rows, columns, cursor, label }: Picture): string {
  const width = round(columns * COLUMN + 2 * EDGE);
  const height = rows.length * ROW + 2 * EDGE;
  const lines = rows.map((runs, row) => runs.flatMap((run) => runSvg(run, EDGE + row * ROW)).join(""));
  const mark = cursor === undefined ? [] : [box(cursor.column, 1, EDGE + cursor.row * ROW, COLOUR)];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FONT}" font-size="${FONT_SIZE}" role="img" aria-label="${escaped(label)}">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    ...lines.filter((line) => line !== ""),
    ...mark,
    "</svg>",
    "",
  ].join("\n");
}

function runSvg({ text, column, columns, style: look }: CellRun, top: number): string[] {
  const { colour, background } = coloursOf(look);
  const painted = background === undefined ? [] : [box(column, columns, top, background)];
  const words = text.trimEnd();
  if (words === "") return painted;
  // Columns of the blanks behind the words are not part of what is stretched.
  const length = columns - (text.length - words.length);
  const x = round(EDGE + column * COLUMN);
  return [
    ...painted,
    `<text x="${x}" y="${top + BASELINE}" fill="${colour}" xml:space="preserve" textLength="${round(length * COLUMN)}"${marksOf(look)}>${escaped(words)}</text>`,
  ];
}

function coloursOf({ colour, background, isInverse }: CellStyle): { colour: string; background: string | undefined } {
  const [front, back] = [
    colour === undefined ? COLOUR : hex(colour),
    background === undefined ? undefined : hex(background),
  ];
  return isInverse ? { colour: back ?? BACKGROUND, background: front } : { colour: front, background: back };
}

function marksOf({ isBold, isDim, isItalic, isUnderline, isStruck }: CellStyle): string {
  const lines = [...(isUnderline ? ["underline"] : []), ...(isStruck ? ["line-through"] : [])].join(" ");
  return [
    isBold ? ' font-weight="bold"' : "",
    isDim ? ' opacity="0.7"' : "",
    isItalic ? ' font-style="italic"' : "",
    lines === "" ? "" : ` text-decoration="${lines}"`,
  ].join("");
}

function box(column: number, columns: number, top: number, fill: string): string {
  return `<rect x="${round(EDGE + column * COLUMN)}" y="${top}" width="${round(columns * COLUMN)}" height="${ROW}" fill="${fill}"/>`;
}

/** Pictures are taken of a terminal that was given colours of 24 bits. */
function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
