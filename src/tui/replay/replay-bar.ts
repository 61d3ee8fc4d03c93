/**
 * What stands in the place of the draft while a session is replayed: how far it is, what came last, what the keys do.
 * It takes exactly the rows of an empty draft, so the log above it has the rows it had live.
 */
import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import type { Player, PlayerState } from "../../transcript/index.ts";
import { timeOf } from "../panels/format.ts";
import type { Theme } from "../theme/theme.ts";

export interface ReplayBarFacts {
  readonly theme: Theme;
  /** Undefined while the events are read. */
  readonly player: Player | undefined;
  /** How many were read so far. */
  readonly readCount: number;
}

const HINTS = "Space play · ←→ event · Shift+←→ message · +- speed · g go to · / search · ? keys · q quit";
const HINTS_SHORT = "Space play · ←→ event · ? keys · q quit";
const LINE_MIN = 6;

export function replayBarRows({ theme, player, readCount }: ReplayBarFacts, width: number): string[] {
  const hints = theme.paint("dim", ` ${width >= HINTS.length + 2 ? HINTS : HINTS_SHORT}`);
  if (player === undefined) return [` Reading the session: ${readCount.toLocaleString("en")} events …`, "", hints];
  const { state } = player;
  return [progressRow(player, state, theme, width), ` ${theme.paint("dim", formatPosition(player, state))}`, hints];
}

function progressRow(player: Player, { isPlaying, speed, ms }: PlayerState, theme: Theme, width: number): string {
  const { totalMs } = player.timeline;
  const left = ` ${isPlaying ? "▶ playing" : "⏸ paused"} ${formatSpeed(speed)} `;
  const right = ` ${formatClock(ms)} / ${formatClock(totalMs)} `;
  const room = width - visibleWidth(left) - visibleWidth(right);
  if (room < LINE_MIN) return theme.paint("accent", truncateToWidth(left + right, width, "…"));
  const done = totalMs === 0 ? room - 1 : Math.round((Math.min(ms, totalMs) / totalMs) * (room - 1));
  const line = theme.paint("accent", `${"━".repeat(done)}●`) + theme.paint("dim", "─".repeat(room - 1 - done));
  return `${theme.paint("accent", left)}${line}${theme.paint("dim", right)}`;
}

/** "event 34 of 240 · seq 34 · 10:32:04 · text delta · scout". */
function formatPosition(player: Player, { step }: PlayerState): string {
  const position = `event ${step.toLocaleString("en")} of ${player.length.toLocaleString("en")}`;
  const event = player.eventAt(step);
  if (event === undefined) return `${position} · before the first`;
  const member = "member" in event && typeof event.member === "string" ? [terminalSafeLine(event.member)] : [];
  const time = event.ts > 0 ? [timeOf(event.ts)] : [];
  const type = terminalSafeLine(event.type).replaceAll("_", " ");
  return [position, `seq ${event.seq}`, ...time, type, ...member].join(" · ");
}

function formatSpeed(speed: number): string {
  return `${Number(speed.toFixed(2))}×`;
}

/** "1:05". */
function formatClock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}
