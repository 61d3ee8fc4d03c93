/**
 * What every overlay stands between: a rule with its title above, a rule and its keys below, over the full width of the
 * screen. Nothing is cut at its sides.
 */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme, Tone } from "../theme/theme.ts";

/** A blank column on each side. */
const MARGIN_COLUMNS = 2;
/** Both rules and the hints. */
export const FRAME_ROWS = 3;

export interface Frame {
  readonly theme: Theme;
  readonly width: number;
  /** Sanitised here. */
  readonly title: string;
  /** Right end of the upper rule, such as a count; sanitised here. */
  readonly corner?: string | undefined;
  /** Of the upper rule. */
  readonly tone?: Tone;
  /** Terminal-safe and styled. */
  readonly rows: readonly string[];
  /** Most important first; those without room are dropped. */
  readonly hints: readonly string[];
  /** Rows are as wide as the screen, with bands from edge to edge. */
  readonly hasBands?: boolean;
}

export function innerWidth(width: number): number {
  return Math.max(1, width - MARGIN_COLUMNS);
}

export function drawFrame(frame: Frame): string[] {
  const { theme, width, title, corner, tone = "faint", rows, hints, hasBands = false } = frame;
  const inner = innerWidth(width);
  return [
    upperRule({ theme, width, title, corner, tone }),
    ...rows.map((row) => (hasBands ? fitRow(row, width) : ` ${fitRow(row, inner)} `)),
    theme.paint("faint", theme.glyph("rule").repeat(width)),
    ` ${fitRow(hintRow(theme, inner, hints), inner)} `,
  ];
}

/** Exactly `width` columns: truncated or padded. */
export function fitRow(row: string, width: number): string {
  const cut = visibleWidth(row) > width ? truncateToWidth(row, width, "…") : row;
  return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}

/** A dash, a blank, the title, a blank, the line, a blank, the corner, a blank and a dash. */
const RULE_COLUMNS = 4;

export function upperRule({
  theme,
  width,
  title,
  corner,
  tone,
}: Pick<Frame, "theme" | "width" | "title" | "corner"> & { tone: Tone }): string {
  const rule = theme.glyph("rule");
  const room = Math.max(0, width - RULE_COLUMNS);
  const cornerText = corner === undefined ? "" : truncateToWidth(terminalSafeLine(corner), room, "…");
  const cornerRoom = cornerText === "" ? 0 : visibleWidth(cornerText) + 2;
  const titleText = truncateToWidth(terminalSafeLine(title), Math.max(0, room - cornerRoom), "…");
  const line = rule.repeat(Math.max(0, room - cornerRoom - visibleWidth(titleText)));
  return (
    theme.paint(tone, `${rule} `) +
    theme.decorate("bold", titleText) +
    theme.paint(tone, ` ${line}`) +
    (cornerText === "" ? "" : ` ${theme.paint("quiet", cornerText)} `) +
    theme.paint(tone, rule)
  );
}

/** The key of a hint is bright, what it does is quiet. Several keys are joined by no-break spaces. */
export function hintRow(theme: Theme, width: number, hints: readonly string[]): string {
  const shown: string[] = [];
  let used = 0;
  for (const hint of hints) {
    used += visibleWidth(hint) + (shown.length === 0 ? 0 : 3);
    if (used > width) break;
    shown.push(hint);
  }
  const painted = shown.map((hint) => {
    const [key = "", ...action] = hint.split(" ");
    return [theme.paint("key", key), theme.paint("quiet", action.join(" "))].join(" ").trimEnd();
  });
  return painted.join(theme.paint("faint", ` ${theme.glyph("dot")} `));
}
