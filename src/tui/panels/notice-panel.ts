/** Events outside turns. Minutes render like a message; the rest is a line or two. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { EventOf } from "../../protocol/index.ts";
import type { Notice, ShownMessage } from "../../transcript/index.ts";
import { highlightVersion } from "../markdown/highlight.ts";
import { createIncrementalMarkdown } from "../markdown/incremental-markdown.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { eventRows, isSilent, moreOf } from "./event-rows.ts";
import { timeOf } from "./format.ts";
import { memberName } from "./member-name.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";
import { MARGIN_WIDTH_MIN } from "./turn-panel.ts";

const LIMIT_LABELS: Readonly<Record<string, string>> = {
  turns: "turns",
  minutes: "minutes",
  tokens: "tokens",
  usd: "money",
};

export class NoticePanel implements Panel {
  #notice: Notice;
  #context: PanelContext;
  /** The user's choice; settings apply until then. */
  #chosen: boolean | undefined;
  #rows: readonly string[] | undefined;
  #width = 0;
  #highlightVersion = 0;

  constructor(notice: Notice, context: PanelContext) {
    this.#notice = notice;
    this.#context = context;
  }

  update(message: ShownMessage, context: PanelContext): void {
    if (message.kind !== "notice") return;
    const before = this.#context;
    if (context.settings.isExpanded !== before.settings.isExpanded) this.#chosen = undefined;
    const isSame =
      message === this.#notice &&
      context.theme === before.theme &&
      context.settings === before.settings &&
      context.isSelected === before.isSelected;
    this.#notice = message;
    this.#context = context;
    if (!isSame) this.#rows = undefined;
  }

  render(width: number): readonly string[] {
    const isCurrent = this.#width === width && this.#highlightVersion === highlightVersion();
    if (this.#rows !== undefined && isCurrent) return this.#rows;
    this.#width = width;
    this.#highlightVersion = highlightVersion();
    this.#rows = this.#draw(width);
    return this.#rows;
  }

  toggle(): boolean {
    if (moreOf(this.#notice.event) === undefined) return false;
    this.#chosen = !(this.#chosen ?? this.#context.settings.isExpanded);
    this.#rows = undefined;
    return true;
  }

  invalidate(): void {
    this.#rows = undefined;
  }

  #draw(width: number): readonly string[] {
    const { theme, settings, isSelected } = this.#context;
    const { event, ts } = this.#notice;
    if (isSilent(event)) return [];
    const margin = width < MARGIN_WIDTH_MIN ? "" : " ";
    const selection = isSelected ? `${theme.paint("selected", theme.glyph("you"))} ` : "";
    const inner = Math.max(1, width - 2 * margin.length - (isSelected ? 2 : 0));
    const isOpen = this.#chosen ?? settings.isExpanded;
    const rows =
      event.type === "minutes"
        ? this.#minutes(event as EventOf<"minutes">, inner)
        : event.type === "council_paused"
          ? pausedRows(event as EventOf<"council_paused">, { theme, width: inner })
          : eventRows(event, { theme, width: inner, isOpen });
    if (settings.hasTimes) rows.push(theme.paint("quiet", `  ${timeOf(ts)}`));
    return [...rows.map((row, index) => closeRow(`${margin}${index === 0 ? selection : ""}${row}`, width)), ""];
  }

  #minutes({ text, by }: EventOf<"minutes">, width: number): string[] {
    const { theme, settings, transcript } = this.#context;
    const writer = by === undefined ? "assembled" : `by ${memberName(transcript.head, theme, terminalSafeLine(by))}`;
    const rows = [oneRow(`${theme.decorate("bold", "Minutes")} ${theme.glyph("dot")} ${writer}`, width)];
    if (settings.isRaw) return [...rows, ...wordRows(text, width)];
    const markdown = createIncrementalMarkdown({ theme });
    markdown.setText(text, { isDone: true });
    for (const row of markdown.render(Math.max(1, width - 2)))
      rows.push(closeRow(`${theme.paint("faint", theme.glyph("output"))} ${row}`, width));
    return rows;
  }
}

/** "limit of turns for this message", "restart". Unknown reasons of later versions are shown as they are. */
export function pauseReason({ why, limit, scope }: EventOf<"council_paused">): string {
  if (limit === undefined) return why;
  const what = (Object.hasOwn(LIMIT_LABELS, limit) ? LIMIT_LABELS[limit] : undefined) ?? terminalSafeLine(limit);
  return `limit of ${what}${scope === undefined ? "" : ` for ${scope === "message" ? "this message" : "the session"}`}`;
}

function pausedRows(
  event: EventOf<"council_paused">,
  { theme, width }: { readonly theme: Theme; readonly width: number },
): string[] {
  const why = terminalSafeLine(event.message).replace(/^The discussion pauses: /, "");
  const text = `${theme.glyph("held")} ${theme.decorate("bold", "Paused:")} ${why}`;
  const rows = wordRows(text, width).map((row) => closeRow(row, width));
  // Omitted when the message already names the command.
  if (!event.message.includes("/continue")) rows.push(closeRow(theme.paint("quiet", "  /continue goes on"), width));
  return rows;
}
