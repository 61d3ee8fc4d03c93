/**
 * A terminal emulator that answers as a real terminal does (attributes, keyboard protocol, colours, version) and keeps
 * what a test asks about afterwards: the picture, the modes, and every control string that reached it.
 */
import xterm from "@xterm/headless";
import { cellsOf, runsOf, type CellRun } from "./cell-styles.ts";
import { UnicodeGraphemesAddon } from "./unicode-graphemes.ts";

export interface EmulatorOptions {
  readonly columns: number;
  readonly rows: number;
  /** False is a terminal without the kitty keyboard protocol. */
  readonly hasKitty: boolean;
  /** What it says of its background; undefined never answers. */
  readonly background: string | undefined;
  readonly answer: (data: string) => void;
}

/** Whatever a program must put back before it goes. */
export interface TerminalModes {
  readonly screen: "normal" | "alternate";
  readonly isCursorHidden: boolean;
  readonly isWrapping: boolean;
  readonly isPasteBracketed: boolean;
  readonly isFocusReported: boolean;
  readonly mouse: string;
  readonly isInFrame: boolean;
  /** Keyboard protocol levels that were pushed and not popped. */
  readonly keyboardLevels: number;
  readonly modifyOtherKeys: number;
  readonly titlesKept: number;
}

export const RESTORED: TerminalModes = {
  screen: "normal",
  isCursorHidden: false,
  isWrapping: true,
  isPasteBracketed: false,
  isFocusReported: false,
  mouse: "none",
  isInFrame: false,
  keyboardLevels: 0,
  modifyOtherKeys: 0,
  titlesKept: 0,
};

export interface Emulator {
  write(data: string, done: () => void): void;
  resize(columns: number, rows: number): void;
  /** The rows of the screen, without trailing blanks. */
  readonly screen: () => string[];
  /** The rows with the look of every cell: two screens that differ in a colour alone differ here. */
  readonly cells: () => string[];
  /** The same, as pieces of one look each. */
  readonly runs: () => CellRun[][];
  /** Rows, from 0, that go on from the one above because that one was too long. */
  readonly wrapped: () => number[];
  /** Everything shown and scrolled off, wrapped lines joined. */
  readonly text: () => string;
  readonly cursor: () => { column: number; row: number };
  readonly modes: TerminalModes;
  readonly title: string;
  /** Control strings (OSC, DCS, APC, PM) that arrived, by kind and content. */
  readonly strings: readonly string[];
  dispose(): void;
}

const SCROLLBACK = 5_000;

export function createEmulator(options: EmulatorOptions): Emulator {
  const terminal = new xterm.Terminal({
    cols: options.columns,
    rows: options.rows,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
    windowOptions: { pushTitle: true, popTitle: true },
  });
  terminal.loadAddon(new UnicodeGraphemesAddon());
  terminal.unicode.activeVersion = "15-graphemes";
  terminal.onData(options.answer);
  const seen = watchModes(terminal, options);
  const strings = watchStrings(terminal, options);
  let title = "";
  terminal.onTitleChange((next) => (title = next));
  const lineAt = (row: number) => terminal.buffer.active.getLine(terminal.buffer.active.baseY + row);
  const everyRow = <Read>(read: (row: number) => Read) => Array.from({ length: terminal.rows }, (_, row) => read(row));
  return {
    write: (data, done) => terminal.write(data, done),
    resize: (columns, rows) => terminal.resize(columns, rows),
    screen: () => everyRow((row) => lineAt(row)?.translateToString(true).trimEnd() ?? ""),
    cells: () => everyRow((row) => cellsOf(lineAt(row), terminal.cols)),
    runs: () => everyRow((row) => runsOf(lineAt(row), terminal.cols)),
    wrapped: () => everyRow((row) => row).filter((row) => lineAt(row)?.isWrapped === true),
    text: () => textOf(terminal),
    cursor: () => ({ column: terminal.buffer.active.cursorX, row: terminal.buffer.active.cursorY }),
    get modes() {
      const { modes, buffer } = terminal;
      return {
        screen: buffer.active.type,
        isWrapping: modes.wraparoundMode,
        isPasteBracketed: modes.bracketedPasteMode,
        isFocusReported: modes.sendFocusMode,
        mouse: modes.mouseTrackingMode,
        isInFrame: modes.synchronizedOutputMode,
        ...seen,
      };
    },
    get title() {
      return title;
    },
    strings,
    dispose: () => terminal.dispose(),
  };
}

type SeenModes = Pick<TerminalModes, "isCursorHidden" | "keyboardLevels" | "modifyOtherKeys" | "titlesKept">;

/** What the emulator library does not keep itself. */
function watchModes(terminal: xterm.Terminal, { hasKitty, answer }: EmulatorOptions): SeenModes {
  const seen = { isCursorHidden: false, keyboardLevels: 0, modifyOtherKeys: 0, titlesKept: 0 };
  const levels: number[] = [];
  const on = (prefix: string, final: string, act: (first: number, second: number) => boolean) =>
    terminal.parser.registerCsiHandler(prefix === "" ? { final } : { prefix, final }, ([first, second]) =>
      act(Number(first ?? 0), Number(second ?? 0)),
    );
  // False leaves the rest of the work to the library.
  const cursor = (isHidden: boolean) => (mode: number) => {
    if (mode === 25) seen.isCursorHidden = isHidden;
    return false;
  };
  on("?", "h", cursor(false));
  on("?", "l", cursor(true));
  on(">", "m", (what, level) => {
    if (what === 4) seen.modifyOtherKeys = level;
    return true;
  });
  on("", "t", (what) => {
    if (what === 22) seen.titlesKept += 1;
    if (what === 23) seen.titlesKept -= 1;
    return true;
  });
  on(">", "q", () => {
    answer("\u001bP>|emulator(1.0)\u001b\\");
    return true;
  });
  on(">", "u", (flags) => {
    levels.push(flags);
    seen.keyboardLevels = levels.length;
    return true;
  });
  on("<", "u", () => {
    levels.pop();
    seen.keyboardLevels = levels.length;
    return true;
  });
  on("?", "u", () => {
    if (hasKitty) answer(`\u001b[?${levels.at(-1) ?? 0}u`);
    return true;
  });
  return seen;
}

/** Numbers of control strings that terminals act on. */
const OSC_NUMBERS = [
  0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 19, 21, 22, 46, 50, 51, 52, 60, 99, 104, 110, 111, 112, 133, 176,
  555, 633, 697, 701, 777, 1337, 5113, 5522, 9001, 30_001, 66,
];

function watchStrings(terminal: xterm.Terminal, { background, answer }: EmulatorOptions): string[] {
  const strings: string[] = [];
  for (const number of OSC_NUMBERS) {
    terminal.parser.registerOscHandler(number, (data) => {
      if (number === 11 && data === "?") {
        if (background !== undefined) answer(`\u001b]11;rgb:${background}\u001b\\`);
        return true;
      }
      strings.push(`OSC ${number};${data}`);
      return false;
    });
  }
  for (const final of "pqrstuvwxyz{|}~ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
    terminal.parser.registerDcsHandler({ final }, (data) => {
      strings.push(`DCS ${final}${data}`);
      return false;
    });
  }
  return strings;
}

function textOf(terminal: xterm.Terminal): string {
  const { active } = terminal.buffer;
  const lines: string[] = [];
  let isFull = false;
  for (let at = 0; at < active.length; at++) {
    const row = active.getLine(at);
    // A row that is full to its last cell goes on in the next one, whoever broke it.
    const goesOn = (row?.getCell(terminal.cols - 1)?.getChars() ?? "") !== "";
    const words = row?.translateToString(!goesOn) ?? "";
    if ((isFull || row?.isWrapped === true) && lines.length > 0) lines[lines.length - 1] += words;
    else lines.push(words);
    isFull = goesOn;
  }
  return lines.join("\n").trimEnd();
}
