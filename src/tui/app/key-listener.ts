/** Keys that belong to the screen and not to the draft. While an overlay is open nearly all keys are its own. */
import { isKeyRelease, type TuiInputListenerResult } from "@earendil-works/pi-tui";
import type { ActionName } from "../keys/actions.ts";
import type { Keymap } from "../keys/keymap.ts";

/** Each returns false when the key is not for it now; then the draft gets it. */
export type ActionHandlers = Partial<Record<ActionName, () => boolean | void>>;

/** These work whatever is open. */
const ALWAYS: ReadonlySet<ActionName> = new Set(["redraw", "suspend"]);

const ESCAPE = "\u001b";
/** Pressed fast, or on a slow line, two come in one piece, which the library takes for another key. */
const TWO_ESCAPES = ESCAPE + ESCAPE;

export function createKeyListener(
  keymap: Keymap,
  actions: ActionHandlers,
  isOverlayOpen: () => boolean,
): (data: string) => TuiInputListenerResult {
  const names = Object.keys(actions) as ActionName[];
  const listen = (data: string): TuiInputListenerResult => {
    if (isKeyRelease(data)) return undefined;
    const isCovered = isOverlayOpen();
    if (data === TWO_ESCAPES) {
      if (isCovered) return { data: ESCAPE };
      listen(ESCAPE);
      return listen(ESCAPE);
    }
    for (const name of names) {
      if (isCovered && !ALWAYS.has(name)) continue;
      if (keymap.matches(data, name) && actions[name]?.() !== false) return { consume: true };
    }
    return undefined;
  };
  return listen;
}
