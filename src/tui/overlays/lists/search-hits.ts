/** A search hit in two rows: author, session and age; the matching line. */
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
  readonly isCurrent: boolean;
}

export function hitRows(hit: SearchHit, { theme, width, now, isChosen, isCurrent }: HitRowsOptions): string[] {
  const where = isCurrent ? "this session" : hit.title === "" ? "(no title)" : hit.title;
  const head = `${isChosen ? "❯" : " "} ${[terminalSafeLine(hitWho(hit)), terminalSafeLine(where), shortAge(now - hit.ts)].join(" · ")}`;
  const cut = truncateToWidth(head, width, "…");
  return [
    isChosen ? theme.paint("selected", cut) : theme.decorate("bold", cut),
    truncateToWidth(`  ${markedLine(hit, theme)}`, width, "…"),
  ];
}

/** Per part, since sanitising may change its length. */
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

/** Number of hits, and whether some are missing. */
export function formatSearchSummary({ hits, hasMore, isComplete, sessionsLeft }: SearchAnswer): string {
  const summary =
    hits.length === 0 ? "Nothing found" : `${hasMore ? "At least " : ""}${hits.length} found, newest first`;
  const left = sessionsLeft === 1 ? "1 session is" : `${sessionsLeft} sessions are`;
  return isComplete ? `${summary}.` : `${summary}; ${left} not in the index yet.`;
}
