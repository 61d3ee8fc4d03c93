/** Foreign words for one row: made safe, and looked at no further than the widest window could show, at every frame. */
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

/** The files that go with the next message, over the box: visible, so nobody sends one without meaning to. */
export function attachedRows(files: readonly ChosenFile[], theme: Theme): string[] {
  if (files.length === 0) return [];
  const names = files.map(formatFile).join(", ");
  return [
    ` ${theme.paint("accent", `+ ${names}`)}${theme.paint("dim", " · with your next message · /attach none drops it")}`,
  ];
}

/** "notes.md (2 KB)". */
export function formatFile({ name, mime, bytes }: ChosenFile): string {
  const what = mime.startsWith("image/") ? "image, " : "";
  return `${terminalSafeLine(name)} (${what}${formatBytes(bytes)})`;
}

/**
 * What waits to be said, between the log and the input: visible, so nobody wonders whether it was lost. After a stop it
 * is held, and says which keys send it or give it back.
 */
export function queueRows(head: Head | undefined, theme: Theme): string[] {
  if (head === undefined || head.queue.length === 0) return [];
  const { queue } = head;
  const held = queue.map((item) => isHeld(head, item));
  const rows = queue.slice(0, ROWS_MAX).map((item, index) => {
    const address = ` ${index + 1}. ${held[index] === true ? "‖ held" : "queued"} → ${rowText(item.to.join(", "))}: `;
    return theme.paint(held[index] === true ? "warn" : "dim", address) + rowText(item.text);
  });
  const more = queue.length > ROWS_MAX ? ` · ${queue.length - ROWS_MAX} more` : "";
  const send = held.includes(true) ? "Enter sends it · " : "";
  const last = queue.length === 1 ? "it" : "the last one";
  return [...rows, theme.paint("dim", ` ${send}Alt+Up puts ${last} back into the box · /queue edits${more}`)];
}

// A few rows of the layout that are made anew from the newest state at every frame.

/** `rows` are safe for a terminal; what is too long for the screen is cut with a mark. Rows that stayed the same are not looked at again. */
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

/** The row above the input: who works and for how long while somebody does, what the keys do while nobody does. */
interface WorkingFacts {
  readonly transcript: Transcript | undefined;
  readonly theme: Theme;
  readonly now: number;
  readonly unseen: number;
  readonly requestsWaiting: number;
  /** The screen is left when everyone is done. */
  readonly isLeaving?: boolean;
}

export function workingRow(facts: WorkingFacts, width: number): string {
  const { transcript, theme, unseen, requestsWaiting } = facts;
  const marks = [
    ...(unseen > 0 ? [theme.paint("accent", `↓ ${unseen} new (Ctrl+End)`)] : []),
    ...(requestsWaiting > 0 ? [theme.paint("warn", `? ${requestsWaiting} waiting for you (/inbox)`)] : []),
  ];
  const activity = transcript !== undefined && isRunning(transcript.head) ? running(transcript, facts) : "";
  const hints = theme.paint("dim", HINTS.find((one) => one.length + 2 <= width) ?? HINTS_SHORT);
  return ` ${[...marks, activity === "" ? hints : activity].join("  ")}`;
}

function running({ head }: Transcript, { theme, now, isLeaving = false }: WorkingFacts): string {
  const turns = Object.values(head.openTurns);
  const begun = Math.min(...turns.map((turn) => turn.ts));
  const names = [...new Set(turns.map((turn) => turn.member))].map(rowText).join(", ");
  const message = head.ui.working === undefined ? `${names} working` : rowText(head.ui.working);
  const frame = FRAMES[Math.floor(now / SPINNER_MS) % FRAMES.length] ?? "";
  const escape = isLeaving ? "leaving when done, Esc stops" : "Esc interrupts";
  return `${theme.paint("accent", frame)} ${theme.paint("dim", `${message} · ${shortTime(now - begun)} · ${escape}`)}`;
}

/** Widgets that agents put above or below the input. Never more rows than leave room for the talk. */
export function widgetRows(head: Head | undefined, where: "above" | "below", theme: Theme): string[] {
  const rows = Object.values(head?.ui.widgets ?? {})
    .filter(
      ({ opts }) =>
        (opts["placement"] === "belowEditor" || opts["placement"] === "below" ? "below" : "above") === where,
    )
    .flatMap(({ content }) => (typeof content === "string" ? content : content.join("\n")).split(/\r\n?|\n/));
  const shown = (count: number) => rows.slice(0, count).map((row) => ` ${rowText(row)}`);
  if (rows.length <= WIDGET_ROWS_MAX) return shown(WIDGET_ROWS_MAX);
  return [...shown(WIDGET_ROWS_MAX - 1), theme.paint("dim", ` … ${rows.length - WIDGET_ROWS_MAX + 1} more rows`)];
}
