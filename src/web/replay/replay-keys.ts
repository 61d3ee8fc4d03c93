/** The keys of a replay, wherever the focus is in it. */
import type { Player } from "../../transcript/index.ts";
import { isTextField } from "../input/is-text-field.ts";
import { SPEEDS } from "./speeds.ts";

export interface KeyTargets {
  readonly player: Player | undefined;
  readonly onLeave: () => void;
}

/** True when the key was for the replay. */
export function actOnKey(event: KeyboardEvent, { player, onLeave }: KeyTargets): boolean {
  const { key, shiftKey, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (key === "Escape") onLeave();
  else if (isTextField(target) && !isSlider(target)) return false;
  // A request that waits live is not in view here, and must not be answered by a key.
  else if (/^\d$/.test(key)) return true;
  else if (player === undefined) return false;
  else if (key === "ArrowRight" || key === "ArrowLeft") move(player, key === "ArrowRight" ? 1 : -1, shiftKey);
  else if (key === "Home") player.goTo(0);
  else if (key === "End") player.goTo(player.length);
  else if (key === " " && !isPressed(target)) player.toggle();
  else if (key === "+" || key === "-") changeSpeed(player, key === "+" ? 1 : -1);
  else return false;
  return true;
}

function move(player: Player, direction: 1 | -1, isToUser: boolean): void {
  if (isToUser) player.goToUser(direction);
  else player.goBy(direction);
}

function changeSpeed(player: Player, by: number): void {
  const at = SPEEDS.findIndex((speed) => speed === player.state.speed);
  player.setSpeed(SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)] ?? 1);
}

function isSlider(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && target.type === "range";
}

/** Space presses these by itself. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, summary, a") !== null;
}
