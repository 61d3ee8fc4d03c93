/** Keys, position bar and status row of a replay. Nothing is typed here, so letters are keys. */
import {
  isKeyRelease,
  parseKey,
  truncateToWidth,
  type TuiInputListenerResult,
  visibleWidth,
} from "@earendil-works/pi-tui";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { isRunning, PAUSE_MAX_MS, type Player, type PlayerState, type Transcript } from "../../transcript/index.ts";
import { shortTime } from "../app/chrome/format.ts";
import type { KeyHelp } from "../keys/keymap.ts";
import { printableKey } from "../keys/key-names.ts";
import { plural, timeOf } from "../panels/format.ts";
import type { Theme } from "../theme/theme.ts";
import { formatCount } from "../../kit/text/format.ts";

const HINTS = "Space play · ←→ event · Shift+←→ message · +- speed · g go to · / search · ? keys · q quit";

const HINTS_SHORT = "Space play · ←→ event · ? keys · q quit";

const LINE_MIN = 6;

const REPLAY_SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;

const SEEK_MS = 10_000;

export interface ReplayKeyTargets {
  readonly player: Player | undefined;
  readonly scrollBy: (rows: number) => void;
  readonly goToSeq: () => void;
  readonly search: () => void;
  readonly help: () => void;
  /** Ends a search or a selection; false when there is none. */
  readonly endReading: () => boolean;
  readonly leave: () => void;
  readonly isCovered: () => boolean;
}

export const replayKeyHelp: readonly KeyHelp[] = [
  { keys: "Space", does: "play or pause; at the end, from the beginning" },
  { keys: "Right, Left", does: "one event forward or back" },
  { keys: "Shift+Right, Shift+Left", does: "next or previous message of yours" },
  { keys: "Ctrl+Right, Ctrl+Left", does: "ten seconds forward or back" },
  { keys: "Home, End", does: "to the beginning or the end of the session" },
  { keys: "+, -", does: `faster or slower, ${REPLAY_SPEEDS[0]} to ${REPLAY_SPEEDS.at(-1)} times` },
  { keys: "g", does: "go to an event by its number (seq)" },
  { keys: "Up, Down", does: "scroll by a row" },
  { keys: "/", does: "search what is shown" },
  { keys: "q, Ctrl+C, Ctrl+D", does: "leave" },
];

export function createReplayKeys(targets: () => ReplayKeyTargets): (data: string) => TuiInputListenerResult {
  return (data) => {
    const now = targets();
    if (isKeyRelease(data) || now.isCovered()) return undefined;
    const act = actionFor(printableKey(data) ?? parseKey(data) ?? "", now);
    if (act === undefined) return undefined;
    act();
    return { consume: true };
  };
}

function actionFor(key: string, targets: ReplayKeyTargets): (() => void) | undefined {
  const { player } = targets;
  const moves: Record<string, (() => void) | undefined> =
    player === undefined
      ? {}
      : {
          " ": () => player.toggle(),
          space: () => player.toggle(),
          right: () => player.goBy(1),
          left: () => player.goBy(-1),
          "shift+right": () => player.goToUser(1),
          "shift+left": () => player.goToUser(-1),
          "ctrl+right": () => player.goByTime(SEEK_MS),
          "ctrl+left": () => player.goByTime(-SEEK_MS),
          home: () => player.goTo(0),
          end: () => player.goTo(player.length),
          "+": () => changeSpeed(player, 1),
          "=": () => changeSpeed(player, 1),
          "-": () => changeSpeed(player, -1),
          g: targets.goToSeq,
        };
  const always: Record<string, () => void> = {
    up: () => targets.scrollBy(-1),
    down: () => targets.scrollBy(1),
    "/": targets.search,
    "?": targets.help,
    q: targets.leave,
    "ctrl+c": targets.leave,
    "ctrl+d": targets.leave,
    escape: () => void targets.endReading(),
  };
  return moves[key] ?? always[key];
}

/** Next speed preset. */
function changeSpeed(player: Player, direction: 1 | -1): void {
  const { speed } = player.state;
  const next =
    direction === 1 ? REPLAY_SPEEDS.find((one) => one > speed) : REPLAY_SPEEDS.findLast((one) => one < speed);
  if (next !== undefined) player.setSpeed(next);
}

/**
 * The bar in place of the draft: position, last event, key hints. It takes exactly the rows of an empty draft, so that
 * the log has the rows it had live.
 */
interface ReplayBarFacts {
  readonly theme: Theme;
  /** Undefined while events are read. */
  readonly player: Player | undefined;
  /** Number of events read so far. */
  readonly readCount: number;
}

export function replayBarRows({ theme, player, readCount }: ReplayBarFacts, width: number): string[] {
  const hints = theme.paint("quiet", ` ${width >= HINTS.length + 2 ? HINTS : HINTS_SHORT}`);
  if (player === undefined) return [` Reading the session: ${formatCount(readCount)} events …`, "", hints];
  const { state } = player;
  return [progressRow(player, state, theme, width), ` ${theme.paint("quiet", formatPosition(player, state))}`, hints];
}

function progressRow(player: Player, { isPlaying, speed, ms }: PlayerState, theme: Theme, width: number): string {
  const { totalMs } = player.timeline;
  const left = ` ${isPlaying ? "▶ playing" : "⏸ paused"} ${formatSpeed(speed)} `;
  const right = ` ${formatClock(ms)} / ${formatClock(totalMs)} `;
  const room = width - visibleWidth(left) - visibleWidth(right);
  if (room < LINE_MIN) return theme.paint("quiet", truncateToWidth(left + right, width, "…"));
  const done = totalMs === 0 ? room - 1 : Math.round((Math.min(ms, totalMs) / totalMs) * (room - 1));
  const line = theme.paint("quiet", `${"━".repeat(done)}●`) + theme.paint("quiet", "─".repeat(room - 1 - done));
  return `${theme.paint("quiet", left)}${line}${theme.paint("quiet", right)}`;
}

/** "event 34 of 240 · seq 34 · 10:32:04 · text delta · scout". */
function formatPosition(player: Player, { step }: PlayerState): string {
  const position = `event ${formatCount(step)} of ${formatCount(player.length)}`;
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

/** The row above the bar: who was working, who was waiting for an answer, which pause is shortened. */
interface ReplayWorkingFacts {
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
    ...(unseen > 0 ? [theme.paint("quiet", `↓ ${unseen} new (Ctrl+End)`)] : []),
    ...(waiting > 0 ? [theme.paint("ask", `? ${plural(waiting, "request")} waited for an answer`)] : []),
    ...(transcript !== undefined && isRunning(transcript.head) ? [theme.paint("quiet", formatWorking(facts))] : []),
    ...(player === undefined ? [] : [theme.paint("quiet", formatPauseLimit(player))]),
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
  if (cutMs > 0) return `a pause of ${shortTime(cutMs + PAUSE_MAX_MS)} is shortened to ${seconds} s`;
  return `pauses over ${seconds} s are shortened`;
}
