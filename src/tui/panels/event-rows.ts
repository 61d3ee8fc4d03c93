/** Events beside the conversation, each with a glyph: in a turn, or between turns. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { isKnownEvent, type SessionEvent, type UnknownEvent } from "../../protocol/index.ts";
import { formatCompaction, eventLine, type Block } from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { formatTokens } from "./format.ts";
import type { BlockDrawing } from "./block-view.ts";
import { firstRows, OPEN_ROWS_MAX, wordRows } from "./plain-rows.ts";

type AnyEvent = SessionEvent | UnknownEvent;

export interface EventOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly isOpen: boolean;
}

const MARKS: Readonly<Record<string, { glyph: string; tone: Tone }>> = {
  warning: { glyph: "⚠ warning:", tone: "ask" },
  error: { glyph: "✗ error:", tone: "bad" },
  damage: { glyph: "✗ damage:", tone: "bad" },
  read_only: { glyph: "⚠", tone: "ask" },
  recovered: { glyph: "↺", tone: "ask" },
  council_paused: { glyph: "‖", tone: "ask" },
  council_settled: { glyph: "∎", tone: "quiet" },
  council_resumed: { glyph: "▷", tone: "quiet" },
  compaction: { glyph: "⇊", tone: "quiet" },
  compaction_undone: { glyph: "⇈", tone: "quiet" },
  compaction_failed: { glyph: "⚠", tone: "ask" },
  model_fallback: { glyph: "⚠", tone: "ask" },
  output_cancelled: { glyph: "■", tone: "ask" },
};

const NOTIFY_MARKS = {
  info: { glyph: "ℹ", tone: "quiet" },
  warn: { glyph: "⚠", tone: "ask" },
  error: { glyph: "✗", tone: "bad" },
  success: { glyph: "✓", tone: "ok" },
} as const satisfies Record<string, { glyph: string; tone: Tone }>;

/** Shorter pauses are not reported. */
const PAUSE_MS_MIN = 3_600_000;

/** Stopped turns carry their own marks; only an interrupt of everything is reported beside them. */
export function isSilent(event: AnyEvent): boolean {
  if (!isKnownEvent(event)) return false;
  if (event.type === "session_resume") return event.ts - (event.afterTs ?? 0) < PAUSE_MS_MIN;
  return event.type === "output_cancelled" && event.scope !== "all";
}

export function eventRows(event: AnyEvent, { theme, width, isOpen }: EventOptions): string[] {
  if (isKnownEvent(event) && event.type === "session_clear")
    return [ruleRow("cleared: members no longer see what is above", theme, width)];
  const { glyph, tone } = markOfEvent(event);
  const rows = wordRows(`${glyph} ${terminalSafeLine(formatEvent(event))}`, width).map((row) => theme.paint(tone, row));
  const hint = hintOf(event);
  if (hint !== undefined) rows.push(oneRow(theme.paint("quiet", `  ${hint}`), width));
  const more = isOpen ? moreOf(event) : undefined;
  if (more === undefined) return rows;
  const { rows: detail } = firstRows(more, Math.max(1, width - 2), OPEN_ROWS_MAX);
  for (const row of detail) rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
  return rows;
}

function markOfEvent(event: AnyEvent): { glyph: string; tone: Tone } {
  if (isKnownEvent(event) && event.type === "ui_notify")
    return NOTIFY_MARKS[Object.hasOwn(NOTIFY_MARKS, event.notifyType) ? event.notifyType : "info"];
  return (Object.hasOwn(MARKS, event.type) ? MARKS[event.type] : undefined) ?? { glyph: "·", tone: "quiet" };
}

function formatEvent(event: AnyEvent): string {
  if (event.type === "output_cancelled") return "everything that ran was stopped";
  if (isKnownEvent(event) && event.type === "compaction" && event.before > 0 && event.after > 0) {
    return `the context of ${event.member} was compacted: ${formatTokens(event.before)} → ${formatTokens(event.after)} tokens`;
  }
  return eventLine(event);
}

function hintOf(event: AnyEvent): string | undefined {
  if (event.type === "council_paused") return "/continue goes on";
  return event.type === "compaction" && moreOf(event) !== undefined ? "expand to read what was kept" : undefined;
}

/** Details beyond the line of an event. */
export function moreOf(event: AnyEvent): string | undefined {
  if (!isKnownEvent(event)) return undefined;
  const more = event.type === "compaction" ? formatCompaction(event) : detailOf(event);
  return more === undefined || more.trim() === "" ? undefined : more;
}

function detailOf(event: SessionEvent): string | undefined {
  return event.type === "warning" || event.type === "error" ? event.detail : undefined;
}

function ruleRow(text: string, theme: Theme, width: number): string {
  const label = ` ${text} `;
  const right = Math.max(2, width - 2 - label.length);
  return oneRow(theme.paint("faint", `──${label}${"─".repeat(right)}`), width);
}

export const eventDrawing: BlockDrawing<Extract<Block, { kind: "event" }>> = {
  canToggle: ({ event }) => moreOf(event) !== undefined,
  draw: ({ event }, options) => eventRows(event, options),
};
