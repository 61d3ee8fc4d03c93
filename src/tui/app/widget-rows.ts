/** Widgets that agents put above or below the input. Never more rows than leave room for the talk. */
import { terminalSafe } from "../../kit/terminal-safe.ts";
import type { Head } from "../../transcript/index.ts";
import type { Theme } from "../theme/theme.ts";

const ROWS_MAX = 6;

export function widgetRows(head: Head | undefined, where: "above" | "below", theme: Theme): string[] {
  const rows = Object.values(head?.ui.widgets ?? {})
    .filter(
      ({ opts }) =>
        (opts["placement"] === "belowEditor" || opts["placement"] === "below" ? "below" : "above") === where,
    )
    .flatMap(({ content }) => terminalSafe(typeof content === "string" ? content : content.join("\n")).split("\n"));
  if (rows.length <= ROWS_MAX) return rows.map((row) => ` ${row}`);
  return [
    ...rows.slice(0, ROWS_MAX - 1).map((row) => ` ${row}`),
    theme.paint("dim", ` … ${rows.length - ROWS_MAX + 1} more rows`),
  ];
}
