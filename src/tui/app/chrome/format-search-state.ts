/** The row that says how a search stands. */
import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import type { SearchState } from "../../log/log-view.ts";

export function formatSearchState(state: SearchState | undefined): string {
  if (state === undefined) return "";
  const { query, at, count, pagesLeft } = state;
  const matches = count === 0 ? "nothing found" : `${at} of ${count}`;
  const more = pagesLeft === 0 ? "" : ` · ${pagesLeft} older pages not looked at yet`;
  return ` / ${terminalSafeLine(query)} · ${matches}${more} · F3 next · F2 previous · Esc ends`;
}
