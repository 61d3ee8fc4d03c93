/** Widgets that agents put above or below the input. Never more rows than leave room for the talk. */
import type { Head } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import { rowText } from "./row-text.ts";

const ROWS_MAX = 6;

export function widgetRows(head: Head | undefined, where: "above" | "below", theme: Theme): string[] {
  const rows = Object.values(head?.ui.widgets ?? {})
    .filter(
      ({ opts }) =>
        (opts["placement"] === "belowEditor" || opts["placement"] === "below" ? "below" : "above") === where,
    )
    .flatMap(({ content }) => (typeof content === "string" ? content : content.join("\n")).split(/\r\n?|\n/));
  const shown = (count: number) => rows.slice(0, count).map((row) => ` ${rowText(row)}`);
  if (rows.length <= ROWS_MAX) return shown(ROWS_MAX);
  return [...shown(ROWS_MAX - 1), theme.paint("dim", ` … ${rows.length - ROWS_MAX + 1} more rows`)];
}
