/** The panel for a message, and the panel of a user message. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Attachment } from "../../protocol/index.ts";
import { deliveriesOf, type Delivery, type ShownMessage, type UserMessage } from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import { FoldableTurnPanel } from "./foldable-turn-panel.ts";
import { formatBytes, timeOf } from "./format.ts";
import { NoticePanel } from "./notice-panel.ts";
import type { Panel, PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";

const NAMES_MAX = 8;

export function createPanel(message: ShownMessage, context: PanelContext): Panel {
  switch (message.kind) {
    case "user":
      return new UserPanel(message, context);
    case "turn":
      return new FoldableTurnPanel(message, context);
    default:
      return new NoticePanel(message, context);
  }
}

/** A user message as written, with its recipients. */
class UserPanel implements Panel {
  #message: UserMessage;
  #context: PanelContext;
  #deliveries: Readonly<Record<string, Delivery>>;
  #rows: readonly string[] | undefined;
  #width = 0;

  constructor(message: UserMessage, context: PanelContext) {
    this.#message = message;
    this.#context = context;
    this.#deliveries = deliveriesOf(context.transcript.head, message);
  }

  update(message: ShownMessage, context: PanelContext): void {
    if (message.kind !== "user") return;
    const deliveries = deliveriesOf(context.transcript.head, message);
    const isSame =
      message === this.#message &&
      deliveries === this.#deliveries &&
      context.theme === this.#context.theme &&
      context.settings === this.#context.settings &&
      context.isSelected === this.#context.isSelected &&
      context.isForcedOpen === this.#context.isForcedOpen;
    this.#message = message;
    this.#context = context;
    this.#deliveries = deliveries;
    if (!isSame) this.#rows = undefined;
  }

  render(width: number): readonly string[] {
    if (this.#rows !== undefined && this.#width === width) return this.#rows;
    this.#width = width;
    this.#rows = this.#draw(width);
    return this.#rows;
  }

  toggle(): boolean {
    return false;
  }

  invalidate(): void {
    this.#rows = undefined;
  }

  /** Steered messages are shown in the turns of all their recipients instead. */
  get #isInTurns(): boolean {
    const { to, attachments } = this.#message;
    const { isSelected, isForcedOpen = false } = this.#context;
    const isSteered = to.length > 0 && to.every((name) => this.#deliveries[name]?.steered === true);
    return isSteered && attachments.length === 0 && !isSelected && !isForcedOpen;
  }

  #draw(width: number): readonly string[] {
    if (this.#isInTurns) return [];
    const { theme, settings, isSelected } = this.#context;
    const bar = settings.isRaw ? "" : `${theme.paint("you", isSelected ? "▌" : "┃")} `;
    const inner = Math.max(1, width - (bar === "" ? 0 : 2));
    const rows = [oneRow(`${isSelected ? `${theme.paint("selected", "▶")} ` : ""}${this.#header()}`, width)];
    const push = (row: string) => rows.push(closeRow(bar + row, width));
    const { text, textBlob, attachments } = this.#message;
    if (text !== "") for (const row of wordRows(text.replace(/\n+$/, ""), inner)) push(row);
    if (textBlob !== undefined) push(theme.paint("quiet", oneRow(`… ${formatBytes(textBlob.bytes)} in all`, inner)));
    for (const attachment of attachments) push(theme.paint("quiet", oneRow(formatAttachment(attachment), inner)));
    for (const [member, { state, reason }] of Object.entries(this.#deliveries)) {
      if (state !== "dropped") continue;
      const why = reason === undefined ? "" : ` (${reason})`;
      for (const row of wordRows(`⚠ ${member} did not answer${why}`, inner)) push(theme.paint("ask", row));
    }
    rows.push("");
    return rows;
  }

  #header(): string {
    const { theme, settings } = this.#context;
    const { to, toAll, origin, ts } = this.#message;
    const facts = [
      ...(origin === undefined ? [] : [`from ${terminalSafeLine(origin)}`]),
      ...(settings.hasTimes ? [timeOf(ts)] : []),
    ];
    // Imported messages were not addressed to anyone here.
    const address = origin !== undefined && !toAll && to.length === 0 ? "" : ` → ${addressees(to, toAll)}`;
    const dim = theme.paint("quiet", address + facts.map((fact) => ` · ${fact}`).join(""));
    return theme.paint("you", "› you") + dim;
  }
}

function addressees(to: readonly string[], toAll: boolean): string {
  if (toAll) return "everyone";
  if (to.length === 0) return "nobody";
  const names = to.slice(0, NAMES_MAX).map(terminalSafeLine).join(", ");
  return to.length > NAMES_MAX ? `${names} and ${to.length - NAMES_MAX} more` : names;
}

function formatAttachment({ name, mime, blob }: Attachment): string {
  const what = mime.startsWith("image/") ? "image" : "file";
  const kind = what === "image" ? "" : ` · ${terminalSafeLine(mime)}`;
  return `[${what}: ${terminalSafeLine(name)}${kind} · ${formatBytes(blob.bytes)}]`;
}
