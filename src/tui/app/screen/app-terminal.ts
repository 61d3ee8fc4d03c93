/** The app's terminal: the library's screen on it, who owns it, what it is asked at the start, and the clipboard. */
import { type RgbColor, type Terminal, TuiAltScreen } from "@earendil-works/pi-tui";
import type { ScreenOptions } from "../options.ts";
import type { TerminalFacts } from "./preferences.ts";
import { copyToClipboard } from "./copy-to-clipboard.ts";
import { TerminalHold } from "./terminal-hold.ts";
import { watchTerminal, type WatchedTerminal } from "./watched-terminal.ts";

const WHEEL_ROWS = 3;
/** Nothing waits for the answers, which can be late over a slow link; usual values are used until then. */
const ANSWER_MS = 10_000;

export interface AppTerminalOptions extends Pick<ScreenOptions, "env" | "copyText" | "editText" | "editFile"> {
  readonly hasMouse: boolean;
  readonly isAscii: () => boolean;
  readonly copyOnSelect: boolean;
  /** Called whenever the screen becomes visible. */
  readonly onResume: () => void;
  /** Called with what the terminal has answered. */
  readonly onFacts: (facts: Partial<TerminalFacts>) => void;
}

export class AppTerminal {
  readonly tui: TuiAltScreen;
  readonly terminal: WatchedTerminal;
  readonly hold: TerminalHold;
  readonly #options: AppTerminalOptions;

  constructor(terminal: Terminal, options: AppTerminalOptions) {
    this.#options = options;
    this.terminal = watchTerminal(terminal, options);
    this.tui = new TuiAltScreen(this.terminal, true, undefined, {
      wheelScrollLines: WHEEL_ROWS,
      mouse: false,
      copySelection: async (text) =>
        (await this.copy(text)) || "Copied. If nothing arrives, your terminal blocks clipboard access.",
    });
    this.tui.setCopyOnSelect(options.copyOnSelect);
    this.hold = new TerminalHold(this.tui, options.onResume);
  }

  /** Takes the terminal for the first time, and asks how wide it draws before anything is drawn. */
  start(): void {
    this.hold.resume();
    const { onFacts } = this.#options;
    void this.terminal.askGlyphWidth(ANSWER_MS).then((width) => {
      if (width !== undefined) onFacts({ hasWideGlyphs: width !== 1 });
    });
  }

  /** Resolves when the terminal has answered, which it does in order, or its time is up. */
  async askColours(): Promise<void> {
    const { onFacts } = this.#options;
    const queries: Promise<unknown>[] = [
      this.tui
        .queryTerminalBackgroundColor({ timeoutMs: ANSWER_MS })
        .then((background) => background !== undefined && onFacts({ background })),
      this.terminal
        .askColour(BRIGHT_BLUE, ANSWER_MS)
        .then((brightBlue: RgbColor | undefined) => brightBlue !== undefined && onFacts({ brightBlue })),
    ];
    await Promise.all(queries);
  }

  setMouse(hasMouse: boolean): void {
    this.terminal.setMouse(hasMouse);
  }

  readonly copy = (text: string): Promise<boolean> => copyToClipboard(text, this.#options, this.terminal);

  editText(text: string): Promise<string | undefined> {
    return this.hold.lend(() => this.#options.editText(text));
  }

  /** In the user's editor, which gets the terminal when it needs one. */
  async editFile(path: string, line: number | undefined): Promise<void> {
    const editor = this.#options.editFile?.(path, line);
    if (editor === undefined) throw new Error("This session's files cannot be opened from here.");
    await (editor.needsTerminal ? this.hold.lend(editor.open) : editor.open());
  }
}

const BRIGHT_BLUE = 12;
