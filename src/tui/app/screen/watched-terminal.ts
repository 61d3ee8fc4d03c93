/**
 * The library's terminal with focus tracking. Focus reports are requested so that nobody is notified about what they
 * are looking at; the window's title is saved and restored. The mouse is captured here and not by the library, which
 * cannot release it while it draws.
 */
import type { RgbColor, Terminal } from "@earendil-works/pi-tui";
import { inAscii } from "../../theme/glyphs.ts";

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
  /** Calls back when the window gets or loses the focus. */
  onFocus(callback: (isFocused: boolean) => void): void;
  /** Columns that the terminal takes for a glyph; undefined without an answer. To be asked before the first frame. */
  askGlyphWidth(timeoutMs: number): Promise<number | undefined>;
  /** A colour of the terminal's palette; undefined without an answer. */
  askColour(index: number, timeoutMs: number): Promise<RgbColor | undefined>;
}

/** In the second row: a report of the first could be a key, Shift+F3. What was drawn is erased. */
const ASK_WIDTH = "\u001b[2;1H◆\u001b[6n\u001b[2K\u001b[H";

// No key looks like these answers: they are consumed whenever they come, and nothing else is.
// oxlint-disable-next-line no-control-regex -- answers begin with one.
const CURSOR_REPORT = /^\u001b\[(?:[2-9]|\d{2,});(\d+)R$/;
// oxlint-disable-next-line no-control-regex -- answers begin with one.
const COLOUR_REPORT = /^\u001b\]4;(\d+);rgb:([\da-f]+)\/([\da-f]+)\/([\da-f]+)(?:\u0007|\u001b\\)$/i;

/** Answers of the terminal by what was asked. */
function createAnswers() {
  const open = new Map<string, (answer: unknown) => void>();
  return {
    expect<Answer>(what: string, timeoutMs: number): Promise<Answer | undefined> {
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), timeoutMs);
        open.set(what, (answer) => {
          clearTimeout(timer);
          resolve(answer as Answer);
        });
      });
    },
    /** False for anything but an answer. */
    handle(data: string): boolean {
      const [, column] = CURSOR_REPORT.exec(data) ?? [];
      if (column !== undefined) open.get("width")?.(Number(column) - 1);
      const [, index, ...channels] = COLOUR_REPORT.exec(data) ?? [];
      const [r = 0, g = 0, b = 0] = channels.map(
        (digits) => (Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255,
      );
      if (index !== undefined) open.get(`colour ${index}`)?.({ r, g, b });
      return column !== undefined || index !== undefined;
    },
  };
}

export interface WatchOptions {
  readonly hasMouse: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether what is written has only signs that every terminal draws one column wide. */
  readonly isAscii?: () => boolean;
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

export function watchTerminal(terminal: Terminal, { hasMouse, env, isAscii }: WatchOptions): WatchedTerminal {
  let isMouseWanted = hasMouse;
  let isStarted = false;
  let isFocused: boolean | undefined;
  let onFocus: (isFocused: boolean) => void = () => {};
  const answers = createAnswers();
  const watched: Partial<WatchedTerminal> = {
    start(onInput, onResize) {
      const early = createEarlyInput();
      terminal.start((data) => {
        if (answers.handle(data)) return;
        if (data === FOCUS_IN || data === FOCUS_OUT) {
          isFocused = data === FOCUS_IN;
          onFocus(isFocused);
        }
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
    write: (data) => terminal.write(isAscii?.() === true ? inAscii(data) : data),
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
    onFocus: (callback) => (onFocus = callback),
    askGlyphWidth(timeoutMs) {
      terminal.write(ASK_WIDTH);
      return answers.expect("width", timeoutMs);
    },
    askColour(index, timeoutMs) {
      terminal.write(`\u001b]4;${index};?\u0007`);
      return answers.expect(`colour ${index}`, timeoutMs);
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
