/** Global keys. While an overlay is open it gets nearly all keys. */
import { isKeyRelease, type TuiInputListenerResult } from "@earendil-works/pi-tui";
import type { ActionName } from "../keys/actions.ts";
import type { Keymap } from "../keys/keymap.ts";

/** A handler returns false when the key does not apply; then the draft gets it. */
export type ActionHandlers = Partial<Record<ActionName, () => boolean | void>>;

/** What is open: nothing, a request, which is answered at the box, or an overlay. */
export type Covering = "nothing" | "request" | "overlay";

/** Handled even then. */
const HANDLED: Readonly<Record<Exclude<Covering, "nothing">, ReadonlySet<ActionName>>> = {
  request: new Set(["redraw", "suspend", "inbox", "sessions"]),
  overlay: new Set(["redraw", "suspend"]),
};

const ESCAPE = "\u001b";
/** Two quick Escapes can arrive in one chunk, which the library parses as another key. */
const TWO_ESCAPES = ESCAPE + ESCAPE;

export function createKeyListener(
  keymap: Keymap,
  actions: ActionHandlers,
  coveringNow: () => Covering,
  onHandled: () => void = () => {},
): (data: string) => TuiInputListenerResult {
  const names = Object.keys(actions) as ActionName[];
  const listen = (data: string): TuiInputListenerResult => {
    if (isKeyRelease(data)) return undefined;
    const covering = coveringNow();
    if (data === TWO_ESCAPES) {
      if (covering !== "nothing") return { data: ESCAPE };
      listen(ESCAPE);
      return listen(ESCAPE);
    }
    for (const name of names) {
      if (covering !== "nothing" && !HANDLED[covering].has(name)) continue;
      if (!keymap.matches(data, name) || actions[name]?.() === false) continue;
      onHandled();
      return { consume: true };
    }
    return undefined;
  };
  return listen;
}
