/** Rows around the log. Untrusted text is sanitised and cut to the widest possible row at every frame. */
import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { type Head, isHeld } from "../../../transcript/index.ts";
import { formatBytes } from "../../panels/format.ts";
import type { Theme } from "../../theme/theme.ts";
import type { ChosenFile } from "../session/attached-files.ts";

const WIDGET_ROWS_MAX = 6;

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
    ` ${theme.paint("quiet", `+ ${names}`)}${theme.paint("quiet", " · with your next message · /attach none removes it")}`,
  ];
}

/** "notes.md (2 KB)". */
export function formatFile({ name, mime, bytes }: ChosenFile): string {
  const what = mime.startsWith("image/") ? "image, " : "";
  return `${terminalSafeLine(name)} (${what}${formatBytes(bytes)})`;
}

/** Queued messages between log and box. What a stop or a limit holds back is shown as held. */
export function queueRows(head: Head | undefined, theme: Theme, width: number): string[] {
  if (head === undefined || head.queue.length === 0) return [];
  const { queue } = head;
  return queue.slice(0, ROWS_MAX).map((item, index) => {
    const [glyph, word] = isHeld(head, item)
      ? ([theme.glyph("held"), "held"] as const)
      : ([theme.glyph("waiting"), "queued"] as const);
    const who = item.to.includes("all") ? "everyone" : rowText(item.to.join(", "));
    const isLast = index === Math.min(queue.length, ROWS_MAX) - 1;
    const more = queue.length > ROWS_MAX ? `${queue.length - ROWS_MAX} more ${theme.glyph("dot")} ` : "";
    const quiet = (text: string) => theme.paint("quiet", text);
    const keys = isLast
      ? `${quiet(more)}Alt+${theme.glyph("up")} ${quiet("edits")} ${theme.paint("faint", theme.glyph("dot"))} /queue`
      : "";
    const label = `${glyph} ${quiet(`${word} for ${who}:`)} `;
    const room = Math.max(1, width - 2 - visibleWidth(label) - (keys === "" ? 0 : visibleWidth(keys) + 2));
    const text = truncateToWidth(rowText(item.text), room, theme.glyph("more"));
    const gap = " ".repeat(Math.max(0, room - visibleWidth(text)) + (keys === "" ? 0 : 2));
    return ` ${label}${text}${keys === "" ? "" : gap + keys}`;
  });
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
