/** Keys that belong to the screen and not to the draft. While an overlay is open nearly all keys are its own. */
import { isKeyRelease, type TuiInputListenerResult } from "@earendil-works/pi-tui";
import type { ActionName } from "../keys/actions.ts";
import type { Keymap } from "../keys/keymap.ts";

/** Each returns false when the key is not for it now; then the draft gets it. */
export type ActionTable = Partial<Record<ActionName, () => boolean | void>>;

/** These work whatever is open. */
const ALWAYS: ReadonlySet<ActionName> = new Set(["redraw", "suspend"]);

export function createKeyListener(
  keymap: Keymap,
  actions: ActionTable,
  isOverlayOpen: () => boolean,
): (data: string) => TuiInputListenerResult {
  const names = Object.keys(actions) as ActionName[];
  return (data) => {
    if (isKeyRelease(data)) return undefined;
    const isCovered = isOverlayOpen();
    for (const name of names) {
      if (isCovered && !ALWAYS.has(name)) continue;
      if (keymap.matches(data, name) && actions[name]?.() !== false) return { consume: true };
    }
    return undefined;
  };
}
