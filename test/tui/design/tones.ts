/**
 * The tones of the design beside the looks of the cells that the app draws, in every depth of colour. `tones/NAME.txt`
 * has a row of runs for each row of the sheet: how many cells, and their tones. Only rows that have the same text are
 * compared, and of those only cells that show something.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { createEmulator } from "../emulator.ts";
import type { CellRun } from "../cell-styles.ts";
import { assignColours } from "../../../src/tui/theme/member-colours.ts";
import type { Decoration, Theme, Tone } from "../../../src/tui/theme/theme.ts";

const TONES: Readonly<Record<string, Tone>> = {
  q: "quiet",
  f: "faint",
  ok: "ok",
  bad: "bad",
  ask: "ask",
  k: "key",
  kw: "keyword",
  str: "string",
  num: "number",
  ty: "type",
  com: "comment",
  "bg-band": "band",
  "bg-sel": "selected",
  "bg-code": "code",
  "bg-add": "addedLine",
  "bg-del": "removedLine",
  "bg-addw": "addedWord",
  "bg-delw": "removedWord",
};
const DECORATIONS: Readonly<Record<string, Decoration>> = { b: "bold", i: "italic", u: "underline" };

/** Members in the order of their slots. */
const SEATS = assignColours(Array.from({ length: 8 }, (_, at) => ({ name: `m${at + 1}`, colour: undefined })));

/** What a sheet looks like in a theme, row by row. */
export async function tonesOf(name: string, cells: readonly string[], theme: Theme): Promise<CellRun[][]> {
  const file = path.join(import.meta.dirname, "tones", `${name}.txt`);
  const tones = readFileSync(file, "utf8").trimEnd().split("\n");
  const columns = Math.max(...cells.map((row) => row.length));
  const emulator = createEmulator({
    columns,
    rows: cells.length,
    hasKitty: false,
    background: undefined,
    answer: () => {},
  });
  const rows = cells.map((row, at) => painted(row.padEnd(columns), tones[at] ?? "", theme));
  await new Promise<void>((resolve) => emulator.write(rows.join("\r\n"), resolve));
  const runs = emulator.runs();
  emulator.dispose();
  return runs;
}

function painted(row: string, tones: string, theme: Theme): string {
  let [text, from] = ["", 0];
  for (const run of tones.split(", ")) {
    const [count = "", ...words] = run.split(" ");
    const part = row.slice(from, from + Number(count));
    from += Number(count);
    text += words.reduce((styled, word) => paintedAs(word, styled, theme), part);
  }
  return text;
}

function paintedAs(word: string, text: string, theme: Theme): string {
  const colour = SEATS.get(word);
  if (colour !== undefined) return theme.member(word, text, colour);
  const tone = TONES[word];
  if (tone !== undefined) return theme.paint(tone, text);
  if (word === "r") return `\u001b[7m${text}\u001b[27m`;
  const decoration = DECORATIONS[word];
  return decoration === undefined ? text : theme.decorate(decoration, text);
}

/** The texts of a row that look otherwise than they should. */
export function otherTones(wanted: readonly CellRun[], drawn: readonly CellRun[]): string[] {
  const [one, other] = [looks(wanted), looks(drawn)];
  const texts: string[] = [];
  let isRun = false;
  for (const [column, { sign, look }] of one) {
    const isSame = sign === " " || other.get(column)?.look === look;
    if (!isSame) texts.push((isRun ? (texts.pop() ?? "") : "") + sign);
    isRun = !isSame;
  }
  return texts;
}

/** Each cell's sign and look, by its column. */
function looks(runs: readonly CellRun[]): Map<number, { readonly sign: string; readonly look: string }> {
  return new Map(
    runs.flatMap(({ text, column, style }) =>
      Array.from(text, (sign, at) => [column + at, { sign, look: JSON.stringify(style) }] as const),
    ),
  );
}
