/** Rows around the log. Untrusted text is sanitised and cut to the widest possible row at every frame. */
import { type Component, truncateToWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { type Head, isHeld, isRunning, type Transcript } from "../../../transcript/index.ts";
import { formatBytes } from "../../panels/format.ts";
import type { Theme } from "../../theme/theme.ts";
import type { ChosenFile } from "../session/attached-files.ts";
import { shortTime } from "./format.ts";

const WIDGET_ROWS_MAX = 6;

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export const SPINNER_MS = 120;

const HINTS_SHORT = "Enter send · ? keys · / commands";

const HINTS = [
  "Enter send · Shift+Enter newline · @ member or file · ? keys · / commands · Ctrl+D quit",
  "Enter send · Shift+Enter newline · ? keys · / commands · Ctrl+D quit",
];

const ROWS_MAX = 3;

const CHARS_MAX = 4_096;

export function rowText(text: string): string {
  return terminalSafeLine(text.length > CHARS_MAX ? text.slice(0, CHARS_MAX) : text);
}

/** Attachments of the next message, shown above the input so that none is sent by accident. */
export function attachedRows(files: readonly ChosenFile[], theme: Theme): string[] {
  if (files.length === 0) return [];
  const names = files.map(formatFile).join(", ");
  return [
    ` ${theme.paint("quiet", `+ ${names}`)}${theme.paint("quiet", " · with your next message · /attach none drops it")}`,
  ];
}

/** "notes.md (2 KB)". */
export function formatFile({ name, mime, bytes }: ChosenFile): string {
  const what = mime.startsWith("image/") ? "image, " : "";
  return `${terminalSafeLine(name)} (${what}${formatBytes(bytes)})`;
}

/**
 * Queued messages between log and input. After a stop they are held, and the row names the keys that send or return
 * them.
 */
export function queueRows(head: Head | undefined, theme: Theme): string[] {
  if (head === undefined || head.queue.length === 0) return [];
  const { queue } = head;
  const held = queue.map((item) => isHeld(head, item));
  const rows = queue.slice(0, ROWS_MAX).map((item, index) => {
    const address = ` ${index + 1}. ${held[index] === true ? "‖ held" : "queued"} → ${rowText(item.to.join(", "))}: `;
    return theme.paint(held[index] === true ? "ask" : "quiet", address) + rowText(item.text);
  });
  const more = queue.length > ROWS_MAX ? ` · ${queue.length - ROWS_MAX} more` : "";
  const send = held.includes(true) ? "Enter sends it · " : "";
  const last = queue.length === 1 ? "it" : "the last one";
  return [...rows, theme.paint("quiet", ` ${send}Alt+Up puts ${last} back into the box · /queue edits${more}`)];
}

/**
 * Rows of the layout, rebuilt every frame. `rows` must be terminal-safe; rows that are too wide are truncated.
 * Unchanged rows are not measured again.
 */
export function createRowsComponent(rows: (width: number) => readonly string[]): Component {
  let before = { width: 0, rows: [] as readonly string[], cut: [] as string[] };
  return {
    render(width) {
      const now = rows(width);
      const known = before.width === width ? before : undefined;
      const cut = now.map((row, at) =>
        known?.rows[at] === row ? (known.cut[at] ?? "") : truncateToWidth(row, width, "…"),
      );
      before = { width, rows: now, cut };
      return cut;
    },
    invalidate() {},
  };
}

/** The row above the input: who is working and for how long, or the key hints when nobody is. */
interface WorkingFacts {
  readonly transcript: Transcript | undefined;
  readonly theme: Theme;
  readonly now: number;
  readonly unseen: number;
  readonly requestsWaiting: number;
  /** The screen closes when all turns are done. */
  readonly isLeaving?: boolean;
}

export function workingRow(facts: WorkingFacts, width: number): string {
  const { transcript, theme, unseen, requestsWaiting } = facts;
  const marks = [
    ...(unseen > 0 ? [theme.paint("quiet", `↓ ${unseen} new (Ctrl+End)`)] : []),
    ...(requestsWaiting > 0 ? [theme.paint("ask", `? ${requestsWaiting} waiting for you (/inbox)`)] : []),
  ];
  const activity = transcript !== undefined && isRunning(transcript.head) ? running(transcript, facts) : "";
  const hints = theme.paint("quiet", HINTS.find((one) => one.length + 2 <= width) ?? HINTS_SHORT);
  return ` ${[...marks, activity === "" ? hints : activity].join("  ")}`;
}

function running({ head }: Transcript, { theme, now, isLeaving = false }: WorkingFacts): string {
  const turns = Object.values(head.openTurns);
  const begun = Math.min(...turns.map((turn) => turn.ts));
  const names = [...new Set(turns.map((turn) => turn.member))].map(rowText).join(", ");
  const message = head.ui.working === undefined ? `${names} working` : rowText(head.ui.working);
  const frame = FRAMES[Math.floor(now / SPINNER_MS) % FRAMES.length] ?? "";
  const escape = isLeaving ? "leaving when done, Esc stops" : "Esc interrupts";
  return `${theme.paint("quiet", frame)} ${theme.paint("quiet", `${message} · ${shortTime(now - begun)} · ${escape}`)}`;
}

/** Widgets of agents above or below the input, capped so that the log keeps its room. */
export function widgetRows(head: Head | undefined, where: "above" | "below", theme: Theme): string[] {
  const rows = Object.values(head?.ui.widgets ?? {})
    .filter(
      ({ opts }) =>
        (opts["placement"] === "belowEditor" || opts["placement"] === "below" ? "below" : "above") === where,
    )
    .flatMap(({ content }) => (typeof content === "string" ? content : content.join("\n")).split(/\r\n?|\n/));
  const shown = (count: number) => rows.slice(0, count).map((row) => ` ${rowText(row)}`);
  if (rows.length <= WIDGET_ROWS_MAX) return shown(WIDGET_ROWS_MAX);
  return [...shown(WIDGET_ROWS_MAX - 1), theme.paint("quiet", ` … ${rows.length - WIDGET_ROWS_MAX + 1} more rows`)];
}
