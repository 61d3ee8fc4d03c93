/**
 * Mouse selection of what was said: without the bars of messages, inside of the column where it began, in one style
 * whatever colours are below. Uses private members of the pinned library; selection.test.ts fails when a name is gone.
 */
import { stripTerminalSequences, type TuiAltScreen } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";

interface Columns {
  readonly start: number;
  readonly end: number;
}

interface Selecting {
  readonly selectionAnchor?: { readonly row: number; readonly col: number };
  getSelectionColumns(line: string, row: number, selection: unknown, ...range: number[]): Columns;
  applySelectionHighlight(text: string): string;
}

/** From the first column to the one after the last. */
type ColumnAt = (row: number, column: number) => { readonly from: number; readonly to: number } | undefined;

/** The bar of a message, or your sign, with the blanks around it. */
const BAR = /^ *[▎▌│┃❯] /;

/** Bar and blank of a column. */
const BAR_WIDTH = 2;

export function selectWithoutBars(tui: TuiAltScreen, theme: () => Theme, columnAt: ColumnAt = () => undefined): void {
  const inside = tui as unknown as Selecting;
  const columnsOf = inside.getSelectionColumns.bind(tui);
  inside.getSelectionColumns = (line, row, selection, ...range) => {
    const { start, end } = columnsOf(line, row, selection, ...range);
    const anchor = inside.selectionAnchor;
    const column = anchor === undefined ? undefined : columnAt(anchor.row, anchor.col);
    if (column !== undefined) {
      return { start: Math.max(start, column.from + BAR_WIDTH), end: Math.max(column.from, Math.min(end, column.to)) };
    }
    const bar = BAR.exec(stripTerminalSequences(line))?.[0].length ?? 0;
    return { start: Math.max(start, bar), end: Math.max(end, bar) };
  };
  inside.applySelectionHighlight = (text) => theme().paint("selected", stripTerminalSequences(text));
}
