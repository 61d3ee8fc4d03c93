/** The panel for a message, and the panel of a user message. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { authorOf, type Attachment } from "../../protocol/index.ts";
import {
  deliveriesOf,
  type Delivery,
  formatSize,
  type ShownMessage,
  type UserMessage,
} from "../../transcript/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import { FoldableTurnPanel } from "./foldable-turn-panel.ts";
import { timeOf } from "./format.ts";
import { NoticePanel } from "./notice-panel.ts";
import { hasBlankRows, isTiny, type Panel, type PanelContext } from "./panel.ts";
import { wordRows } from "./plain-rows.ts";
import { twoEnded } from "./turn-header.ts";
import { MARGIN_WIDTH_MIN } from "./turn-panel.ts";

const NAMES_MAX = 8;
const TO_EVERYONE = "to everyone";

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

/** A user message as written, on a band of its own, with its recipients at the right. */
class UserPanel implements Panel {
  #message: UserMessage;
  #context: PanelContext;
  #deliveries: Readonly<Record<string, Delivery>>;
  #rows: readonly string[] | undefined;
  #width = 0;
  /** As it stands in `#rows`. */
  #addressed = "";

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
      context.seenAs === this.#context.seenAs &&
      context.settings === this.#context.settings &&
      context.isSelected === this.#context.isSelected &&
      context.screenRows === this.#context.screenRows &&
      isCutTo(message, context) === isCutTo(this.#message, this.#context) &&
      context.isForcedOpen === this.#context.isForcedOpen;
    this.#message = message;
    this.#context = context;
    this.#deliveries = deliveries;
    if (!isSame || (this.#isSteered && this.#address() !== this.#addressed)) this.#rows = undefined;
  }

  render(width: number): readonly string[] {
    if (this.#rows !== undefined && this.#width === width) return this.#rows;
    this.#width = width;
    this.#addressed = this.#address();
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
    const { text, textBlob, attachments } = this.#message;
    const margin = width < MARGIN_WIDTH_MIN ? "" : " ";
    const lead = settings.isRaw ? "" : `${margin}${theme.paint("you", theme.glyph("you"))} `;
    const indent = " ".repeat(visibleWidth(lead));
    const right = this.#address();
    const inner = Math.max(1, width - visibleWidth(lead) - margin.length);
    const own = text.replace(/\n+$/, "");
    const isCut = isCutTo(this.#message, this.#context);
    const hasRoom = right !== "" && !isCut && this.#hasRoom(own, right, inner);
    const all = wordRows(own, hasRoom ? inner - visibleWidth(right) - 2 : inner);
    const lines = isCut ? [oneRow(all.join(" "), inner)] : all;
    const ground = (row: string) => {
      const filled = row + " ".repeat(Math.max(0, width - visibleWidth(row)));
      return closeRow(settings.isRaw ? row : theme.paint(isSelected ? "selected" : "band", filled), width);
    };
    const rows: string[] = [];
    const steered = this.#isSteered ? `${theme.glyph("steered")} ` : "";
    lines.forEach((row, at) => {
      const painted = steered === "" ? theme.paint("you", row) : `${at === 0 ? steered : ""}${row}`;
      const line = at === 0 && hasRoom ? twoEnded(painted, right, inner, theme) : painted;
      rows.push(ground(`${at === 0 ? lead : indent}${line}`));
    });
    if (!hasRoom && right !== "" && right !== TO_EVERYONE && width >= MARGIN_WIDTH_MIN)
      rows.push(ground(`${indent}${theme.paint("quiet", oneRow(right, inner))}`));
    const fact = (line: string) => rows.push(ground(`${indent}${theme.paint("quiet", oneRow(line, inner))}`));
    if (textBlob !== undefined) fact(`${theme.glyph("more")} ${formatSize(textBlob.bytes)} in all`);
    for (const attachment of attachments) fact(formatAttachment(attachment));
    for (const [member, { state, reason }] of Object.entries(this.#deliveries)) {
      // The head of a turn that failed or was stopped says so itself; its reason is a code.
      if (state !== "dropped" || reason?.includes(" ") === false) continue;
      const why = reason === undefined ? "" : `: ${reason}`;
      const line = `${theme.glyph("failed")} ${member} did not answer${why}`;
      for (const row of wordRows(line, inner)) rows.push(closeRow(`${indent}${theme.paint("bad", row)}`, width));
    }
    if (hasBlankRows(this.#context)) rows.push("");
    return rows;
  }

  /** Facts go before words: "to everyone" takes no row from the message. */
  #hasRoom(text: string, right: string, width: number): boolean {
    const room = width - visibleWidth(right) - 2;
    if (room < 22) return false;
    return right !== TO_EVERYONE || wordRows(text, room).length === wordRows(text, width).length;
  }

  get #isSteered(): boolean {
    return Object.values(this.#deliveries).some(({ steered }) => steered === true);
  }

  /** "to everyone", or who has seen a message that went into running turns. */
  #address(): string {
    const { settings, theme, seenAs } = this.#context;
    const { to, toAll, origin, ts, clientId } = this.#message;
    const facts = [
      ...[authorOf(clientId, seenAs), origin].flatMap((from) =>
        from === undefined ? [] : [`from ${terminalSafeLine(from)}`],
      ),
      ...(settings.hasTimes ? [timeOf(ts)] : []),
    ];
    if (this.#isSteered) facts.unshift(...this.#sightings());
    // Imported messages were not addressed to anyone here.
    else if (origin === undefined || toAll || to.length > 0) facts.unshift(`to ${addressees(to, toAll)}`);
    return facts.join(` ${theme.glyph("dot")} `);
  }

  #sightings(): string[] {
    const bySight = Map.groupBy(Object.entries(this.#deliveries), ([name, { state }]) => this.#sightOf(name, state));
    return SIGHTS.flatMap((sight) => {
      const names = (bySight.get(sight) ?? []).map(([name]) => terminalSafeLine(name)).join(", ");
      return names === "" ? [] : [`${names} ${sight}`];
    });
  }

  #sightOf(member: string, state: Delivery["state"]): (typeof SIGHTS)[number] | undefined {
    if (state === "dropped") return undefined;
    if (state !== "pending") return "saw it";
    const recipient = this.#context.transcript.head.members[member];
    if (recipient?.state !== "running") return "has not seen it yet";
    return recipient.capabilities.steer ? "sees it at its next step" : "will see it after this turn";
  }
}

const SIGHTS = ["saw it", "sees it at its next step", "will see it after this turn", "has not seen it yet"] as const;

/** On a very low screen the message that is being answered has one row. */
function isCutTo({ messageId }: UserMessage, context: PanelContext): boolean {
  const { head } = context.transcript;
  const isAnswered = Object.values(head.openTurns).some(({ rootMessageId }) => rootMessageId === messageId);
  return isAnswered && isTiny(context) && !context.isSelected && context.isForcedOpen !== true;
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
  return `[${what}: ${terminalSafeLine(name)}${kind} · ${formatSize(blob.bytes)}]`;
}
