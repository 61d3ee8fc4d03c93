/** The keys of a replay: nothing is written here, so letters are keys. */
import { isKeyRelease, parseKey, type TuiInputListenerResult } from "@earendil-works/pi-tui";
import type { Player } from "../../transcript/index.ts";
import type { KeyHelp } from "../app/screen/port.ts";
import { printableKey } from "../keys/printable-key.ts";

const REPLAY_SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const;
const SEEK_MS = 10_000;

export interface ReplayKeyTargets {
  readonly player: Player | undefined;
  readonly scrollBy: (rows: number) => void;
  readonly goToSeq: () => void;
  readonly search: () => void;
  readonly help: () => void;
  /** Ends a search or a mark; false when there is none. */
  readonly endReading: () => boolean;
  readonly leave: () => void;
  readonly isCovered: () => boolean;
}

export const replayKeyHelp: readonly KeyHelp[] = [
  { keys: "Space", does: "play or pause; at the end, from the beginning" },
  { keys: "Right, Left", does: "one event forward or back" },
  { keys: "Shift+Right, Shift+Left", does: "to the next message of yours, or the one before" },
  { keys: "Ctrl+Right, Ctrl+Left", does: "ten seconds forward or back" },
  { keys: "Home, End", does: "to the beginning or the end of the session" },
  { keys: "+, -", does: `faster or slower, ${REPLAY_SPEEDS[0]} to ${REPLAY_SPEEDS.at(-1)} times` },
  { keys: "g", does: "go to the picture at a seq" },
  { keys: "Up, Down", does: "scroll by a row" },
  { keys: "/", does: "search in what is shown" },
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

/** To the next one of the list, from any speed. */
function changeSpeed(player: Player, direction: 1 | -1): void {
  const { speed } = player.state;
  const next =
    direction === 1 ? REPLAY_SPEEDS.find((one) => one > speed) : REPLAY_SPEEDS.findLast((one) => one < speed);
  if (next !== undefined) player.setSpeed(next);
}
