import { terminalSafeLine } from "../../../kit/text/terminal-safe.ts";
import {
  type Head,
  heldMembers,
  loadedMessagesBackward,
  type MemberState,
  type Transcript,
} from "../../../transcript/index.ts";
import type { SearchState } from "../../log/log-view.ts";

/** Short figures and labels for the status bar. */

/** 500, 1.2k, 12k, 3.4M. */
export function shortCount(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 9_950) return `${(value / 1_000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** 8s, 2m 05s, 1h 02m. */
export function shortTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  if (hours === 0) return `${minutes}m ${String(seconds % 60).padStart(2, "0")}s`;
  return `${hours}h ${String(minutes % 60).padStart(2, "0")}m`;
}

/** 0:08, 4:32, 1:02:03. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const last = String(seconds % 60).padStart(2, "0");
  return hours === 0 ? `${minutes}:${last}` : `${hours}:${String(minutes).padStart(2, "0")}:${last}`;
}

/** $0.04; below a cent `<$0.01` is not rounded to zero. */
export function shortMoney(usd: number): string {
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** Glyph and label of a member's state; colour only repeats them. */
interface MemberStatus {
  readonly glyph: string;
  readonly word: string;
}

/** With `head`, a held message is told apart from a waiting one. */
export function memberStatus(member: MemberState, head?: Head): MemberStatus {
  if (member.muted) return { glyph: "⊘", word: "muted" };
  if (member.state === "running") return { glyph: "●", word: "running" };
  if (member.compacting !== undefined) return { glyph: "⇊", word: "compacting" };
  if (head !== undefined && heldMembers(head).includes(member.name)) return { glyph: "‖", word: "held" };
  if (member.state === "waiting") return { glyph: "◔", word: "waiting" };
  if (member.lastOutcome === "errored") return { glyph: "✗", word: "failed" };
  if (member.lastOutcome === "timed_out") return { glyph: "✗", word: "timed out" };
  return { glyph: "○", word: "idle" };
}

/** Whether the newest turn belongs to a round; after a message to one member, what is known of the round is old. */
export function isInRound(transcript: Transcript): boolean {
  for (const message of loadedMessagesBackward(transcript))
    if (message.kind === "turn" && message.depth === 0) return message.round !== undefined;
  return false;
}

/** The row with the state of a search. */
export function formatSearchState(state: SearchState | undefined): string {
  if (state === undefined) return "";
  const { query, at, count, pagesLeft } = state;
  const matches = count === 0 ? "no match" : `${at} of ${count}`;
  const more = pagesLeft === 0 ? "" : ` · ${pagesLeft} older pages still to search`;
  return ` / ${terminalSafeLine(query)} · ${matches}${more} · F3 next · F2 previous · Esc close`;
}
