/** The row above the controls of a replay: who worked then, who waited for an answer, which pause is cut. */
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { isRunning, PAUSE_MAX_MS, type Player, type Transcript } from "../../transcript/index.ts";
import { shortTime } from "../app/chrome/format-numbers.ts";
import { plural } from "../panels/format.ts";
import type { Theme } from "../theme/theme.ts";

export interface ReplayWorkingFacts {
  readonly transcript: Transcript | undefined;
  readonly theme: Theme;
  readonly now: number;
  readonly unseen: number;
  readonly player: Player | undefined;
}

export function replayWorkingRow(facts: ReplayWorkingFacts, _width: number): string {
  const { transcript, theme, unseen, player } = facts;
  const waiting = transcript?.head.requests.length ?? 0;
  const fields = [
    ...(unseen > 0 ? [theme.paint("accent", `↓ ${unseen} new (Ctrl+End)`)] : []),
    ...(waiting > 0 ? [theme.paint("warn", `? ${plural(waiting, "request")} waited for an answer`)] : []),
    ...(transcript !== undefined && isRunning(transcript.head) ? [theme.paint("dim", formatWorking(facts))] : []),
    ...(player === undefined ? [] : [theme.paint("dim", formatPauseLimit(player))]),
  ];
  return ` ${fields.filter((part) => part !== "").join("  ")}`;
}

function formatWorking({ transcript, now }: ReplayWorkingFacts): string {
  const turns = Object.values(transcript?.head.openTurns ?? {});
  const begun = Math.min(...turns.map((turn) => turn.ts));
  const names = [...new Set(turns.map((turn) => turn.member))].map(terminalSafeLine).join(", ");
  return `◌ ${names} working${Number.isFinite(begun) ? ` · ${shortTime(Math.max(0, now - begun))}` : ""}`;
}

function formatPauseLimit({ state, timeline }: Player): string {
  const cutMs = state.isPlaying ? timeline.cutBefore(state.step + 1) : 0;
  const seconds = PAUSE_MAX_MS / 1000;
  if (cutMs > 0) return `a pause of ${shortTime(cutMs + PAUSE_MAX_MS)} is cut to ${seconds} s`;
  return `pauses over ${seconds} s are cut to that`;
}
