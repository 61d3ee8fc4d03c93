/** The first row: the session's title, and what the latest message took. */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { shortId } from "../../../kit/short-id.ts";
import { plural } from "../../../kit/text/format.ts";
import { formatMoney, formatTurnTime, isRunning, roundView, type Transcript } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import { rowText } from "./chrome-rows.ts";
import { isInRound } from "./format.ts";

export interface TitleFacts {
  readonly transcript: Transcript | undefined;
  /** Label of the session being opened; absent when none is. */
  readonly opening?: string | undefined;
  readonly theme: Theme;
}

const COLUMNS_WITH_ID = 100;
const TITLE_COLUMNS_MIN = 12;

export function titleRow({ transcript, opening = "", theme }: TitleFacts, width: number): string {
  const title = rowText(transcript === undefined ? opening : transcript.head.title);
  const head = transcript?.head;
  const id = head === undefined || width < COLUMNS_WITH_ID ? [] : [shortId(head.sessionId)];
  const all = [...(transcript === undefined ? [] : messageFacts(transcript)), ...id].map(rowText);
  const facts = dropUntil(
    all,
    (text) => width - visibleWidth(text) - 4 >= Math.min(visibleWidth(title), TITLE_COLUMNS_MIN),
  );
  const room = Math.max(1, width - 2 - (facts === "" ? 0 : visibleWidth(facts) + 2));
  const shown = visibleWidth(title) > room ? truncateToWidth(title, room, theme.glyph("more")) : title;
  const gap = " ".repeat(Math.max(0, width - 2 - visibleWidth(shown) - visibleWidth(facts)));
  return ` ${theme.decorate("bold", shown)}${gap}${theme.paint("quiet", facts)}`;
}

/** "round 1" while it runs; "2 rounds · 1:42 · $0.38" afterwards. */
function messageFacts(transcript: Transcript): string[] {
  const { head } = transcript;
  const isCurrent = isInRound(transcript);
  const view = isCurrent ? roundView(head) : undefined;
  const activeMs = isCurrent ? head.spent.message.activeMs : 0;
  const cost = head.totals.costUsd ?? 0;
  if (isRunning(head)) return view === undefined ? [] : [`round ${view.number}`];
  return [
    ...(view === undefined ? [] : [plural(view.number, "round")]),
    ...(activeMs >= 1000 ? [formatTurnTime(activeMs)] : []),
    ...(cost > 0 ? [formatMoney(cost)] : []),
  ];
}

/** Facts go before words, the first of them first. */
function dropUntil(facts: readonly string[], fits: (text: string) => boolean): string {
  for (let from = 0; from < facts.length; from += 1) {
    const text = facts.slice(from).join(" · ");
    if (fits(text)) return text;
  }
  return "";
}
