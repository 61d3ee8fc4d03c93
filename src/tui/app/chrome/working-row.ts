/** The row above the input: who works and for how long while somebody does, what the keys do while nobody does. */
import { isRunning, type Transcript } from "../../../transcript/index.ts";
import type { Theme } from "../../theme/theme.ts";
import { shortTime } from "./format-numbers.ts";
import { rowText } from "./row-text.ts";

export interface WorkingFacts {
  readonly transcript: Transcript | undefined;
  readonly theme: Theme;
  readonly now: number;
  readonly unseen: number;
  readonly requestsWaiting: number;
  /** The screen is left when everyone is done. */
  readonly isLeaving?: boolean;
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
export const SPINNER_MS = 120;
const HINTS_SHORT = "Enter send · ? keys · / commands";
const HINTS = [
  "Enter send · Shift+Enter newline · @ member or file · ? keys · / commands · Ctrl+D quit",
  "Enter send · Shift+Enter newline · ? keys · / commands · Ctrl+D quit",
];

export function workingRow(facts: WorkingFacts, width: number): string {
  const { transcript, theme, unseen, requestsWaiting } = facts;
  const marks = [
    ...(unseen > 0 ? [theme.paint("accent", `↓ ${unseen} new (Ctrl+End)`)] : []),
    ...(requestsWaiting > 0 ? [theme.paint("warn", `? ${requestsWaiting} waiting for you (/inbox)`)] : []),
  ];
  const activity = transcript !== undefined && isRunning(transcript.head) ? running(transcript, facts) : "";
  const hints = theme.paint("dim", HINTS.find((one) => one.length + 2 <= width) ?? HINTS_SHORT);
  return ` ${[...marks, activity === "" ? hints : activity].join("  ")}`;
}

function running({ head }: Transcript, { theme, now, isLeaving = false }: WorkingFacts): string {
  const turns = Object.values(head.openTurns);
  const begun = Math.min(...turns.map((turn) => turn.ts));
  const names = [...new Set(turns.map((turn) => turn.member))].map(rowText).join(", ");
  const message = head.ui.working === undefined ? `${names} working` : rowText(head.ui.working);
  const frame = FRAMES[Math.floor(now / SPINNER_MS) % FRAMES.length] ?? "";
  const escape = isLeaving ? "leaving when done, Esc stops" : "Esc interrupts";
  return `${theme.paint("accent", frame)} ${theme.paint("dim", `${message} · ${shortTime(now - begun)} · ${escape}`)}`;
}
