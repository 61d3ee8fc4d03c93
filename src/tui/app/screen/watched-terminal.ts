/**
 * The terminal as the app sees it: the library's, with an eye on focus. Focus reports are asked for so that nobody is
 * notified of what they are looking at; the window's title is kept aside and put back. The mouse is taken here too, and
 * not by the library, which cannot let it go while it draws.
 */
import type { Terminal } from "@earendil-works/pi-tui";

/**
 * Narrower windows show the left part of a screen of this width. Below it nothing readable fits, and the library's
 * editor loops for ever where a wide character does not fit.
 */
const COLUMNS_MIN = 20;

const FOCUS_IN = "\u001b[I";
const FOCUS_OUT = "\u001b[O";
const SETUP = "\u001b[?1004h\u001b[22;0t";
const RESTORE = "\u001b[?1004l\u001b[23;0t";

const BUTTONS = "\u001b[?1000h\u001b[?1002h";
const EVERY_MOVE = "\u001b[?1003h";
const SGR = "\u001b[?1006h";
const MOUSE_OFF = "\u001b[?1006l\u001b[?1003l\u001b[?1002l\u001b[?1000l";

/** Multiplexers lag when every move of the pointer is forwarded. */
function mouseOn(env: WatchOptions["env"]): string {
  const isMultiplexed =
    ["TMUX", "ZELLIJ", "STY"].some((name) => env[name] !== undefined) || /^(?:tmux|screen)/i.test(env["TERM"] ?? "");
  return BUTTONS + (isMultiplexed ? "" : EVERY_MOVE) + SGR;
}

const framed = (bytes: string) => `\u001b[?2026h${bytes}\u001b[?2026l`;

export interface WatchedTerminal extends Terminal {
  /** Undefined until the terminal has reported it. */
  readonly isFocused: boolean | undefined;
  readonly hasMouse: boolean;
  setMouse(isWanted: boolean): void;
}

export interface WatchOptions {
  readonly hasMouse: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Input typed before the terminal was acquired arrives first, in one chunk, with line feeds for Enter. The last one
 * submits what precedes it; others, as of a paste, stay line breaks.
 */
function createEarlyInput(): { handle(data: string, onInput: (data: string) => void): void } {
  let state: "before" | "first-piece" | "over" = "before";
  let held = "";
  return {
    handle(data, onInput) {
      if (state === "over") return onInput(data);
      if (state === "before") {
        state = "first-piece";
        setImmediate(() => {
          state = "over";
          if (held !== "") onInput("\r");
        });
      }
      if (held !== "") onInput(held);
      held = data.endsWith("\n") ? "\n" : "";
      const text = held === "" ? data : data.slice(0, -1);
      if (text !== "") onInput(text);
    },
  };
}

export function watchTerminal(terminal: Terminal, { hasMouse, env }: WatchOptions): WatchedTerminal {
  let isMouseWanted = hasMouse;
  let isStarted = false;
  let isFocused: boolean | undefined;
  const watched: Partial<WatchedTerminal> = {
    start(onInput, onResize) {
      const early = createEarlyInput();
      terminal.start((data) => {
        if (data === FOCUS_IN) isFocused = true;
        if (data === FOCUS_OUT) isFocused = false;
        early.handle(data, onInput);
      }, onResize);
      isStarted = true;
      terminal.write(SETUP + (isMouseWanted ? mouseOn(env) : ""));
    },
    stop() {
      isStarted = false;
      terminal.write((isMouseWanted ? MOUSE_OFF : "") + RESTORE);
      terminal.stop();
    },
    get columns() {
      return Math.max(COLUMNS_MIN, terminal.columns);
    },
    get hasMouse() {
      return isMouseWanted;
    },
    setMouse(isWanted) {
      if (isStarted && isWanted !== isMouseWanted) terminal.write(framed(isWanted ? mouseOn(env) : MOUSE_OFF));
      isMouseWanted = isWanted;
    },
    get isFocused() {
      return isFocused;
    },
  };
  // All else is delegated to the terminal, whose methods need it as `this`.
  return new Proxy(terminal, {
    get(target, name) {
      if (name in watched) return Reflect.get(watched, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as WatchedTerminal;
}
