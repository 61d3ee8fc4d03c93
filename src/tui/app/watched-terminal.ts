/**
 * The terminal as the app sees it: the library's, with an eye on focus. Focus reports are asked for so that nobody is
 * notified of what they are looking at; the window's title is kept aside and put back.
 */
import type { Terminal } from "@earendil-works/pi-tui";

const FOCUS_IN = "\u001b[I";
const FOCUS_OUT = "\u001b[O";
const TAKE = "\u001b[?1004h\u001b[22;0t";
const GIVE_BACK = "\u001b[?1004l\u001b[23;0t";

export interface WatchedTerminal extends Terminal {
  /** Undefined until the terminal has said something about it. */
  readonly isFocused: boolean | undefined;
}

export function watchTerminal(terminal: Terminal): WatchedTerminal {
  let isFocused: boolean | undefined;
  const watched: Partial<WatchedTerminal> = {
    start(onInput, onResize) {
      terminal.start((data) => {
        if (data === FOCUS_IN) isFocused = true;
        if (data === FOCUS_OUT) isFocused = false;
        onInput(data);
      }, onResize);
      terminal.write(TAKE);
    },
    stop() {
      terminal.write(GIVE_BACK);
      terminal.stop();
    },
    get isFocused() {
      return isFocused;
    },
  };
  // Everything else is the terminal's own, whose methods need it as `this`.
  return new Proxy(terminal, {
    get(target, name) {
      if (name in watched) return Reflect.get(watched, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as WatchedTerminal;
}
