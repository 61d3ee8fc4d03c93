/**
 * Mouse selection without the bar of a message, in one style whatever colours are below. Uses private members of the
 * pinned library; selection.test.ts fails when a name is gone.
 */
import { stripTerminalSequences, type TuiAltScreen } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";

interface Columns {
  readonly start: number;
  readonly end: number;
}

interface Selecting {
  getSelectionColumns(line: string, row: number, selection: unknown, ...range: number[]): Columns;
  applySelectionHighlight(text: string): string;
}

/** The bar of a message with the blanks around it. */
const BAR = /^ *[│┃▌] /;

export function selectWithoutBars(tui: TuiAltScreen, theme: () => Theme): void {
  const inside = tui as unknown as Selecting;
  const columnsOf = inside.getSelectionColumns.bind(tui);
  inside.getSelectionColumns = (line, row, selection, ...range) => {
    const { start, end } = columnsOf(line, row, selection, ...range);
    const bar = BAR.exec(stripTerminalSequences(line))?.[0].length ?? 0;
    return { start: Math.max(start, bar), end: Math.max(end, bar) };
  };
  inside.applySelectionHighlight = (text) => theme().paint("selected", stripTerminalSequences(text));
}
