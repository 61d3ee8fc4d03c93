/** A find in two rows: who, where and when, and the line with what was found in it. */
import { truncateToWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import { hitWho, type SearchAnswer, type SearchHit } from "../../../protocol/index.ts";
import type { Theme } from "../../theme/theme.ts";
import { shortAge } from "../short-age.ts";

export const HIT_ROWS = 2;

export interface HitRowsOptions {
  readonly theme: Theme;
  readonly width: number;
  readonly now: number;
  readonly isChosen: boolean;
  /** The session that is shown. */
  readonly isCurrent: boolean;
}

export function hitRows(hit: SearchHit, { theme, width, now, isChosen, isCurrent }: HitRowsOptions): string[] {
  const where = isCurrent ? "this session" : hit.title === "" ? "(no title)" : hit.title;
  const head = `${isChosen ? "❯" : " "} ${[terminalSafeLine(hitWho(hit)), terminalSafeLine(where), shortAge(now - hit.ts)].join(" · ")}`;
  const cut = truncateToWidth(head, width, "…");
  return [
    isChosen ? theme.paint("selected", cut) : theme.paint("strong", cut),
    truncateToWidth(`  ${markedLine(hit, theme)}`, width, "…"),
  ];
}

/** Piece by piece: making a piece safe may change its length. */
function markedLine({ snippet, marks }: SearchHit, theme: Theme): string {
  let at = 0;
  let line = "";
  for (const [from, to] of marks) {
    line += terminalSafeLine(snippet.slice(at, from));
    line += theme.paint("match", terminalSafeLine(snippet.slice(from, to)));
    at = to;
  }
  return line + terminalSafeLine(snippet.slice(at));
}

/** How many there are, and what is missing from them. */
export function formatSearchSummary({ hits, hasMore, isComplete, sessionsLeft }: SearchAnswer): string {
  const summary =
    hits.length === 0 ? "Nothing was found" : `${hits.length}${hasMore ? " and more" : ""} found, newest first`;
  const left = sessionsLeft === 1 ? "1 session is" : `${sessionsLeft} sessions are`;
  return isComplete ? `${summary}.` : `${summary}; ${left} not in the index yet.`;
}
