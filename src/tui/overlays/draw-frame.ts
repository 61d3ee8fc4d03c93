/**
 * What every overlay stands between: a rule with its title above, a rule and its keys below, over the full width of the
 * screen. Nothing is cut at its sides.
 */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Theme, Tone } from "../theme/theme.ts";

/** A blank column on each side. */
const MARGIN_COLUMNS = 2;
/** Narrower screens have no margin, and short labels. */
export const NARROW_COLUMNS = 56;
/** Both rules and the hints. */
export const FRAME_ROWS = 3;

/** Terminal-safe and styled; a plain string is sanitised and styled here. */
export interface Styled {
  readonly styled: string;
}

export interface Frame {
  readonly theme: Theme;
  readonly width: number;
  readonly title: string | Styled;
  /** Right end of the upper rule, such as a count. */
  readonly corner?: string | Styled | undefined;
  /** Of the upper rule. */
  readonly tone?: Tone;
  /** Terminal-safe and styled. */
  readonly rows: readonly string[];
  /** Most important first, and at the end how to leave; those without room are dropped from before the end. */
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
    width < NARROW_COLUMNS
      ? fitRow(hintRow(theme, width, hints), width)
      : ` ${fitRow(hintRow(theme, inner, hints), inner)} `,
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
  const cornerText = truncateToWidth(
    styledText(corner ?? "", (text) => theme.paint("quiet", text)),
    room,
    "…",
  );
  const cornerRoom = cornerText === "" ? 0 : visibleWidth(cornerText) + 2;
  const bold = (text: string) => theme.decorate("bold", text);
  const titleText = truncateToWidth(styledText(title, bold), Math.max(0, room - cornerRoom), "…");
  const line = rule.repeat(Math.max(0, room - cornerRoom - visibleWidth(titleText)));
  return (
    theme.paint(tone, `${rule} `) +
    titleText +
    theme.paint(tone, ` ${line}`) +
    (cornerText === "" ? "" : ` ${cornerText} `) +
    theme.paint(tone, rule)
  );
}

function styledText(text: string | Styled, style: (text: string) => string): string {
  if (typeof text !== "string") return text.styled;
  return text === "" ? "" : style(terminalSafeLine(text));
}

/**
 * The key of a hint is bright, what it does is quiet; several keys are joined by no-break spaces, and a hint that begins
 * with a blank has none. The last one, which says how to leave, goes last.
 */
export function hintRow(theme: Theme, width: number, hints: readonly string[]): string {
  const separator = ` ${theme.glyph("dot")} `;
  const shown = [...hints];
  while (shown.length > 1 && visibleWidth(shown.join(separator)) > width) shown.splice(-2, 1);
  const painted = shown.map((hint) => {
    const [key = "", ...action] = hint.split(" ");
    return [theme.paint("key", key), theme.paint("quiet", action.join(" "))].join(" ").trim().replaceAll("\u00a0", " ");
  });
  return painted.join(theme.paint("faint", separator));
}
