/** Rows of the log that are no message: what was cleared, the hint of an empty session, a message still to be fetched. */
import { truncateToWidth } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";
import { ESTIMATED_ROWS } from "./row-heights.ts";

const NOTHING: readonly string[] = [];

/** Stands before the first message. */
export function leadRows(
  log: { readonly shownCount: number; readonly clearedCount: number; readonly isOpening: boolean },
  theme: Theme,
  width: number,
): readonly string[] {
  if (log.clearedCount > 0) {
    const count = log.clearedCount.toLocaleString("en");
    const what = log.clearedCount === 1 ? "1 earlier message is" : `${count} earlier messages are`;
    return [dim(`── cleared · ${what} not shown ──`, theme, width), " "];
  }
  if (log.shownCount > 0 || log.isOpening) return NOTHING;
  return [
    dim("No messages yet.", theme, width),
    dim("Write below and press Enter: every member answers.", theme, width),
    dim("@name asks one member · / lists commands · ? lists keys", theme, width),
  ];
}

/** As tall as a message is guessed to be, so that fetching it moves as little as can be. */
export function missingRows(position: number, theme: Theme, width: number): readonly string[] {
  const first = dim(`⋯ message ${(position + 1).toLocaleString("en")} is being fetched`, theme, width);
  return [first, ...Array.from({ length: ESTIMATED_ROWS - 1 }, () => dim("⋯", theme, width))];
}

function dim(text: string, theme: Theme, width: number): string {
  return theme.paint("dim", truncateToWidth(text, width));
}
