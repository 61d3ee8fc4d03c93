/** The cells of an emulated terminal with their looks, so that two screens that differ in a colour alone differ. */
import type xterm from "@xterm/headless";

export function cellsOf(line: xterm.IBufferLine | undefined, columns: number): string {
  const cells: string[] = [];
  let look = "";
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const next = lookOf(cell);
    if (next !== look) cells.push(`{${next}}`);
    look = next;
    cells.push(cell.getChars() || " ");
  }
  return cells.join("").trimEnd();
}

function lookOf(cell: xterm.IBufferCell): string {
  const marks = [
    cell.isBold() && "b",
    cell.isDim() && "d",
    cell.isItalic() && "i",
    cell.isUnderline() && "u",
    cell.isInverse() && "r",
    cell.isStrikethrough() && "s",
    !cell.isFgDefault() && `f${cell.getFgColor().toString(16)}`,
    !cell.isBgDefault() && `g${cell.getBgColor().toString(16)}`,
  ];
  return marks.filter(Boolean).join("");
}
