/** Events beside the conversation, each with a glyph: in a turn, or between turns. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { isKnownEvent, type SessionEvent, type UnknownEvent } from "../../protocol/index.ts";
import { formatCompaction, eventLine, type Block } from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { GlyphName } from "../theme/glyphs.ts";
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

interface Mark {
  readonly glyph?: GlyphName;
  /** Without a glyph: colour alone says nothing. */
  readonly word?: string;
  readonly tone: Tone;
}

const MARKS: Readonly<Record<string, Mark>> = {
  warning: { word: "Warning:", tone: "ask" },
  error: { glyph: "failed", tone: "bad" },
  damage: { glyph: "failed", tone: "bad" },
  read_only: { glyph: "failed", tone: "bad" },
  recovered: { word: "Warning:", tone: "ask" },
  council_paused: { glyph: "held", tone: "ask" },
  compaction_failed: { word: "Warning:", tone: "ask" },
  model_fallback: { word: "Warning:", tone: "ask" },
  output_cancelled: { glyph: "stopped", tone: "text" },
};

const NOTIFY_MARKS = {
  info: { tone: "quiet" },
  warn: { word: "Warning:", tone: "ask" },
  error: { glyph: "failed", tone: "bad" },
  success: { glyph: "ok", tone: "ok" },
} as const satisfies Record<string, Mark>;

const QUIET: Mark = { tone: "quiet" };

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
  const { glyph, word, tone } = markOfEvent(event);
  const text = sentence(terminalSafeLine(formatEvent(event)));
  const mark = glyph === undefined ? (word === undefined ? "" : `${word} `) : `${theme.glyph(glyph)} `;
  const rows = wordRows(`${mark}${text}`, width).map((row) => theme.paint(tone, row));
  const hint = hintOf(event);
  if (hint !== undefined) rows.push(oneRow(theme.paint("quiet", `  ${hint}`), width));
  const more = isOpen ? moreOf(event) : undefined;
  if (more === undefined) return rows;
  const { rows: detail } = firstRows(more, Math.max(1, width - 2), OPEN_ROWS_MAX);
  for (const row of detail) rows.push(closeRow(`  ${theme.paint("quiet", row)}`, width));
  return rows;
}

/** Names of members stay as they are written. */
function sentence(text: string): string {
  return text.replace(
    /^(?:the|cleared|renamed|events?|no|turns?|minutes) /,
    (word) => word[0]?.toUpperCase() + word.slice(1),
  );
}

function markOfEvent(event: AnyEvent): Mark {
  if (isKnownEvent(event) && event.type === "ui_notify")
    return NOTIFY_MARKS[Object.hasOwn(NOTIFY_MARKS, event.notifyType) ? event.notifyType : "info"];
  return (Object.hasOwn(MARKS, event.type) ? MARKS[event.type] : undefined) ?? QUIET;
}

function formatEvent(event: AnyEvent): string {
  if (event.type === "output_cancelled") return "Stopped everything.";
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
  const rule = theme.glyph("rule");
  return oneRow(theme.paint("faint", `${rule.repeat(2)}${label}${rule.repeat(right)}`), width);
}

export const eventDrawing: BlockDrawing<Extract<Block, { kind: "event" }>> = {
  canToggle: ({ event }) => moreOf(event) !== undefined,
  draw: ({ event }, options) => eventRows(event, options),
};
