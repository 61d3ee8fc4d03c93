/** The card of a discussion that stands still: what stopped it, in words, and how it goes on. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { EventOf } from "../../protocol/index.ts";
import { closeRow, oneRow } from "../markdown/wrap-rows.ts";
import type { Theme } from "../theme/theme.ts";
import { wordRows } from "./plain-rows.ts";

const LIMIT_LABELS: Readonly<Record<string, string>> = {
  turns: "turns",
  minutes: "minutes",
  tokens: "tokens",
  usd: "money",
};

/** "limit of turns for this message", "restart". What a later version may pause for is named as it came. */
export function pauseReason({ why, limit, scope }: EventOf<"council_paused">): string {
  if (limit === undefined) return why;
  const what = (Object.hasOwn(LIMIT_LABELS, limit) ? LIMIT_LABELS[limit] : undefined) ?? terminalSafeLine(limit);
  return `limit of ${what}${scope === undefined ? "" : ` for ${scope === "message" ? "this message" : "the session"}`}`;
}

export function pausedRows(
  event: EventOf<"council_paused">,
  { theme, width }: { readonly theme: Theme; readonly width: number },
): string[] {
  const bar = theme.paint("warn", "│");
  const body = wordRows(terminalSafeLine(event.message), Math.max(1, width - 2));
  // The session's own words say how it goes on; it is said once.
  if (!event.message.includes("/continue")) body.push(theme.paint("dim", "/continue goes on"));
  return [
    oneRow(theme.paint("warn", `‖ paused · ${pauseReason(event)}`), width),
    ...body.map((row) => closeRow(`${bar} ${row}`, width)),
  ];
}
