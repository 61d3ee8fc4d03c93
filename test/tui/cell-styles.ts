/** The cells of an emulated terminal with their looks, so that two screens that differ in a colour alone differ. */
import type xterm from "@xterm/headless";

/** Cells side by side that look the same. */
export interface CellRun {
  readonly text: string;
  /** Where it begins, and how many columns it takes. */
  readonly column: number;
  readonly columns: number;
  readonly style: CellStyle;
}

/** Colours are numbers as the terminal was given them; undefined is the terminal's own. */
export interface CellStyle {
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderline: boolean;
  readonly isInverse: boolean;
  readonly isStruck: boolean;
  readonly colour: number | undefined;
  readonly background: number | undefined;
}

export function runsOf(line: xterm.IBufferLine | undefined, columns: number): CellRun[] {
  const runs: { text: string; column: number; columns: number; style: CellStyle; key: string }[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const key = wordOf(style);
    const last = runs.at(-1);
    const text = cell.getChars() || " ";
    if (last?.key !== key) runs.push({ text, column, columns: cell.getWidth(), style, key });
    else {
      last.text += text;
      last.columns += cell.getWidth();
    }
  }
  return runs;
}

/** A row as one string, each change of the look in braces. */
export function cellsOf(line: xterm.IBufferLine | undefined, columns: number): string {
  return runsOf(line, columns)
    .map(({ text, style }, at) => (at === 0 && wordOf(style) === "" ? text : `{${wordOf(style)}}${text}`))
    .join("")
    .trimEnd();
}

function styleOf(cell: xterm.IBufferCell): CellStyle {
  return {
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderline: cell.isUnderline() !== 0,
    isInverse: cell.isInverse() !== 0,
    isStruck: cell.isStrikethrough() !== 0,
    colour: cell.isFgDefault() ? undefined : cell.getFgColor(),
    background: cell.isBgDefault() ? undefined : cell.getBgColor(),
  };
}

function wordOf(style: CellStyle): string {
  const marks = [
    style.isBold && "b",
    style.isDim && "d",
    style.isItalic && "i",
    style.isUnderline && "u",
    style.isInverse && "r",
    style.isStruck && "s",
    style.colour !== undefined && `f${style.colour.toString(16)}`,
    style.background !== undefined && `g${style.background.toString(16)}`,
  ];
  return marks.filter(Boolean).join("");
}
