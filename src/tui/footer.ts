/** The rows below the log: what goes on, and the draft with its cursor. */
import { terminalSafe, terminalSafeLine } from "../kit/terminal-safe.ts";
import { isRunning, membersInOrder, type Transcript } from "../transcript/index.ts";
import type { Draft } from "./draft.ts";
import type { Footer } from "./live-area.ts";
import { textWidth, wrapRows } from "./text-width.ts";

const PROMPT = "› ";
/** A draft taller than this shows the rows around its cursor. */
const DRAFT_ROWS_MAX = 8;

export interface FooterStyle {
  readonly dim: (text: string) => string;
  readonly strong: (text: string) => string;
}

export function drawFooter(
  { draft, status }: { draft: Draft; status: string },
  columns: number,
  style: FooterStyle,
): Footer {
  const width = Math.max(1, columns - PROMPT.length);
  const rows = wrapRows(terminalSafe(draft.text), width);
  // A cursor after a full row stands on its last cell; the next letter opens the next row.
  const beforeCursor = wrapRows(terminalSafe(draft.text.slice(0, draft.at)), width);
  const cursorRow = beforeCursor.length - 1;
  const first = Math.max(0, Math.min(cursorRow - DRAFT_ROWS_MAX + 1, rows.length - DRAFT_ROWS_MAX));
  const shown = rows.slice(first, first + DRAFT_ROWS_MAX);
  const [statusRow = ""] = wrapRows(status, columns);
  return {
    rows: [style.dim(statusRow), ...shown.map((row, at) => (at === 0 ? style.strong(PROMPT) : "  ") + row)],
    cursor: {
      row: 1 + cursorRow - first,
      cell: Math.min(columns - 1, PROMPT.length + textWidth(beforeCursor.at(-1) ?? "")),
    },
  };
}

/** One line of what goes on, safe and plain. */
export function statusLine(transcript: Transcript | undefined, { place }: { place: string }): string {
  const idle = "Enter sends · /help";
  if (transcript === undefined) return terminalSafeLine(`${idle} · ${place}`);
  const { head } = transcript;
  const busy = membersInOrder(head)
    .filter((member) => member.state !== "idle")
    .map((member) => `${member.name} ${member.state === "running" ? "speaks" : "waits"}`);
  const waiting = head.queue.length > 0 ? [`${head.queue.length} queued`] : [];
  const asked = head.requests.length > 0 ? [`${head.requests.length} open request`] : [];
  const facts = isRunning(head) ? [...busy, ...waiting, ...asked, "Esc interrupts"] : [...waiting, idle, place];
  return terminalSafeLine(facts.join(" · "));
}
