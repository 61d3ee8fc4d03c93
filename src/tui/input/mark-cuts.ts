/**
 * The library's list cuts what does not fit without a sign, and gives every kind of name the same room. With this, what
 * is cut says so: a path loses its beginning, since its end tells it from others, everything else loses its end.
 */
import { visibleWidth, type SelectList } from "@earendil-works/pi-tui";
import { cutToWidth } from "./cut-to-width.ts";
import { listInternalsOf } from "./editor-internals.ts";

/** What the library keeps free: the mark before a row, and as much behind it. */
const MARK_COLUMNS = 2;
const EDGE_COLUMNS = 2;
/** It gives the names no more than leaves this much. */
const REST_COLUMNS_MIN = 4;
/** For names and the gap behind them: one long command does not cost every row its words; of files little else is said. */
const COLUMNS = {
  command: { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 27 },
  other: { minPrimaryColumnWidth: 24, maxPrimaryColumnWidth: 54 },
};

export function markCuts(list: SelectList): void {
  const inside = listInternalsOf(list);
  const isCommands = list.getSelectedItem()?.value.startsWith("/") === true;
  inside.layout = {
    ...COLUMNS[isCommands ? "command" : "other"],
    truncatePrimary: ({ text, maxWidth }) =>
      text.startsWith("@") && text.includes("/") ? cutStart(text, maxWidth) : cutToWidth(text, maxWidth),
  };
  const draw = inside.renderItem.bind(list);
  inside.renderItem = (item, isSelected, width, description, columnWidth) => {
    const names = Math.max(1, Math.min(columnWidth, width - MARK_COLUMNS - REST_COLUMNS_MIN));
    const room = width - MARK_COLUMNS - names - EDGE_COLUMNS;
    const fitting = description === undefined ? undefined : cutToWidth(description, room);
    return draw(item, isSelected, width, fitting, columnWidth);
  };
}

/** Keeps the @ and as much of the end as fits. */
function cutStart(mention: string, width: number): string {
  if (visibleWidth(mention) <= width) return mention;
  const characters = Array.from(mention.slice(1));
  let from = Math.max(0, characters.length - width);
  const rest = () => `@…${characters.slice(from).join("")}`;
  while (from < characters.length && visibleWidth(rest()) > width) from += 1;
  return cutToWidth(rest(), width);
}
