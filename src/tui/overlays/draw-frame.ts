/** The border of every overlay: title, corner, rows and key hints, all cut to the width. */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme } from "../theme/theme.ts";

/** A border and a space on each side. */
const FRAME_COLUMNS = 4;
export const FRAME_ROWS = 2;

export interface Frame {
  readonly theme: Theme;
  readonly width: number;
  /** Sanitised here. */
  readonly title: string;
  /** Right end of the upper border, such as a count; sanitised here. */
  readonly corner?: string | undefined;
  /** Terminal-safe and styled. */
  readonly rows: readonly string[];
  /** Most important first; those without room are dropped. */
  readonly hints: readonly string[];
}

export function innerWidth(width: number): number {
  return Math.max(1, width - FRAME_COLUMNS);
}

export function drawFrame({ theme, width, title, corner, rows, hints }: Frame): string[] {
  const inner = innerWidth(width);
  const side = theme.paint("faint", "│");
  return [
    upperBorder({ theme, width, title, corner }),
    ...rows.map((row) => `${side} ${fitRow(row, inner)} ${side}`),
    lowerBorder(theme, width, hints),
  ];
}

/** Exactly `width` columns: truncated or padded. */
function fitRow(row: string, width: number): string {
  const cut = visibleWidth(row) > width ? truncateToWidth(row, width, "…") : row;
  return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}

function upperBorder({ theme, width, title, corner }: Pick<Frame, "theme" | "width" | "title" | "corner">): string {
  const room = Math.max(0, width - 6);
  const cornerText = corner === undefined ? "" : truncateToWidth(terminalSafeLine(corner), room, "…");
  const cornerRoom = cornerText === "" ? 0 : visibleWidth(cornerText) + 3;
  const titleText = truncateToWidth(terminalSafeLine(title), Math.max(0, room - cornerRoom), "…");
  const line = Math.max(0, room - cornerRoom - visibleWidth(titleText));
  return (
    theme.paint("faint", "╭─ ") +
    theme.decorate("bold", titleText) +
    theme.paint("faint", ` ${"─".repeat(line)}`) +
    (cornerText === "" ? "" : ` ${theme.paint("quiet", cornerText)} ${theme.paint("faint", "─")}`) +
    theme.paint("faint", "─╮")
  );
}

function lowerBorder(theme: Theme, width: number, hints: readonly string[]): string {
  const room = Math.max(0, width - 6);
  let text = "";
  for (const hint of hints) {
    const longer = text === "" ? hint : `${text} · ${hint}`;
    if (visibleWidth(longer) > room) break;
    text = longer;
  }
  if (text === "") return theme.paint("faint", `╰${"─".repeat(Math.max(0, width - 2))}╯`);
  const line = "─".repeat(Math.max(0, room - visibleWidth(text)));
  return theme.paint("faint", "╰─ ") + theme.paint("quiet", text) + theme.paint("faint", ` ${line}─╯`);
}
