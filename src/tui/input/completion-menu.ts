/**
 * The completions of the box, above it: a rule with what they are, then one row each. Names stand in a column; what is
 * cut is marked, and paths lose their beginning, since the end tells them apart.
 */
import {
  type SelectItem,
  type SelectList,
  type TuiMouseEvent,
  type TuiMouseEventResult,
  visibleWidth,
} from "@earendil-works/pi-tui";
import { upperRule } from "../overlays/draw-frame.ts";
import type { Theme } from "../theme/theme.ts";
import { cutToWidth } from "./cut-to-width.ts";
import { listInternalsOf } from "./editor-internals.ts";

/** A blank, the mark of the row you are on, a blank. */
const LEAD_COLUMNS = 3;
const GAP_COLUMNS = 2;
/** One long name must not narrow every row; files have little beside them. */
const NAME_COLUMNS = { command: { min: 13, max: 24 }, other: { min: 22, max: 54 } };
const DESCRIPTION_COLUMNS_MIN = 10;

/** What is being completed. */
export interface CompletionMenu {
  readonly kind: "commands" | "other";
  readonly title: string;
  /** Of all there are, however many fit what is typed. */
  readonly total: number;
  /** Nothing is typed yet, so the order is the list's own. */
  readonly isWhole: boolean;
}

export interface MenuDrawing {
  readonly theme: Theme;
  readonly width: number;
}

export function menuRows(list: SelectList, menu: CompletionMenu, { theme, width }: MenuDrawing): string[] {
  const { filteredItems: items, selectedIndex } = listInternalsOf(list);
  const { startIndex, endIndex } = listInternalsOf(list).getVisibleRange();
  const shown = items.slice(startIndex, endIndex);
  const names = nameColumns(items, menu, width);
  return [
    upperRule({ theme, width, title: menu.title, corner: cornerOf(shown.length, items.length, menu), tone: "faint" }),
    ...shown.map((item, index) =>
      drawItem(item, { theme, width, names, isChosen: startIndex + index === selectedIndex }),
    ),
  ];
}

/** `y` counts from the rule of the menu. */
export function clickMenu(list: SelectList, event: TuiMouseEvent): TuiMouseEventResult | undefined {
  const result = list.handleMouse({ ...event, y: event.y - 1 });
  return result === undefined ? undefined : { ...result, focus: true };
}

function cornerOf(shown: number, fitting: number, { kind, total, isWhole }: CompletionMenu): string {
  if (kind === "other") return shown < fitting ? `${shown} of ${fitting}` : "";
  return isWhole ? `${shown} of ${total}, most used first` : `${fitting} of ${total}`;
}

function nameColumns(items: readonly SelectItem[], { kind }: CompletionMenu, width: number): number {
  const { min, max } = NAME_COLUMNS[kind === "commands" ? "command" : "other"];
  const longest = Math.max(0, ...items.map(({ label }) => visibleWidth(label)));
  const room = Math.max(1, width - LEAD_COLUMNS - GAP_COLUMNS - DESCRIPTION_COLUMNS_MIN);
  return Math.min(Math.max(min, Math.min(longest, max)), room);
}

function drawItem(
  { label, description = "" }: SelectItem,
  { theme, width, names, isChosen }: MenuDrawing & { readonly names: number; readonly isChosen: boolean },
): string {
  const name = label.startsWith("@") && label.includes("/") ? cutStart(label, names) : cutToWidth(label, names);
  const gap = " ".repeat(Math.max(0, names - visibleWidth(name)) + GAP_COLUMNS);
  const does = cutToWidth(description.replaceAll(/[\r\n]+/g, " "), width - LEAD_COLUMNS - names - GAP_COLUMNS - 1);
  const bold = theme.decorate("bold", name);
  if (!isChosen) return `   ${bold}${gap}${theme.paint("quiet", does)}`;
  const row = ` ${theme.decorate("bold", theme.glyph("you"))} ${bold}${gap}${does}`;
  return theme.paint("selected", row + " ".repeat(Math.max(0, width - visibleWidth(row))));
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
