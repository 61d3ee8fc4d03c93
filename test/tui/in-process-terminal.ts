/**
 * A terminal without a process, for tests of components: pi's `Terminal` over an emulator, so a test draws in
 * milliseconds and reads back what a person would see. Emoji are measured as real terminals do.
 */
import type { Component, Terminal } from "@earendil-works/pi-tui";
import { TuiAltScreen } from "@earendil-works/pi-tui";
import xterm from "@xterm/headless";
import { cellsOf } from "./cell-styles.ts";
import { UnicodeGraphemesAddon } from "./unicode-graphemes.ts";

export interface InProcessTerminal extends Terminal {
  /** The rows of the screen, without trailing blanks, after everything written so far. */
  screen(): Promise<string[]>;
  /** The rows with the look of every cell, so two screens that differ in colour alone are told apart. */
  styledScreen(): Promise<string[]>;
  /** Everything written since the last call, as bytes on a wire would be. */
  takeWritten(): string;
  /** As if typed: one key, one paste or one mouse report a call. */
  type(data: string): void;
  /** A left click on a cell, counted from 0. */
  click(column: number, row: number): void;
  /** One notch of the wheel over a cell, counted from 0. */
  wheel(direction: "up" | "down", column?: number, row?: number): void;
  resize(columns: number, rows: number): void;
  readonly title: string;
  dispose(): void;
}

export function createInProcessTerminal(columns = 80, rows = 24): InProcessTerminal {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true });
  emulator.loadAddon(new UnicodeGraphemesAddon());
  emulator.unicode.activeVersion = "15-graphemes";
  let written = "";
  let title = "";
  let onInput: (data: string) => void = () => {};
  let onResize: () => void = () => {};
  const write = (data: string): void => {
    written += data;
    emulator.write(data);
  };
  return {
    start(input, resize) {
      onInput = input;
      onResize = resize;
    },
    stop() {
      onInput = () => {};
      onResize = () => {};
    },
    drainInput: () => Promise.resolve(),
    write,
    get columns() {
      return emulator.cols;
    },
    get rows() {
      return emulator.rows;
    },
    kittyProtocolActive: true,
    ...eraser(write),
    setTitle: (text) => {
      title = text;
    },
    setProgress: () => {},
    screen: () => readRows(emulator, (row) => lineAt(emulator, row)?.translateToString(true).trimEnd() ?? ""),
    styledScreen: () => readRows(emulator, (row) => cellsOf(lineAt(emulator, row), emulator.cols)),
    takeWritten() {
      const taken = written;
      written = "";
      return taken;
    },
    ...hand((data) => onInput(data)),
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows);
      onResize();
    },
    get title() {
      return title;
    },
    dispose: () => emulator.dispose(),
  };
}

export interface TestScreen {
  readonly terminal: InProcessTerminal;
  readonly tui: TuiAltScreen;
  /** Draws until nothing asks to be drawn again, then reads the rows. */
  rows(): Promise<string[]>;
  styledRows(): Promise<string[]>;
  /** Draws until nothing asks to be drawn again. */
  settle(): Promise<void>;
  close(): void;
}

/** The real renderer on such a terminal, showing one component on the whole screen. */
export function openTestScreen(root: Component, columns = 80, rows = 24): TestScreen {
  const terminal = createInProcessTerminal(columns, rows);
  const tui = new TuiAltScreen(terminal, true, undefined, { wheelScrollLines: 3 });
  tui.setLayoutRoot(root);
  tui.start();
  const settle = async () => {
    for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
      tui.renderNow();
      // Renders that this one asked for are scheduled on the next tick.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };
  return {
    terminal,
    tui,
    settle,
    async rows() {
      await settle();
      return terminal.screen();
    },
    async styledRows() {
      await settle();
      return terminal.styledScreen();
    },
    close() {
      tui.stop({ preserveScreen: true });
      terminal.dispose();
    },
  };
}

type Eraser = Pick<Terminal, "moveBy" | "hideCursor" | "showCursor" | "clearLine" | "clearFromCursor" | "clearScreen">;

function eraser(write: (data: string) => void): Eraser {
  return {
    moveBy: (lines) => {
      if (lines !== 0) write(`\u001b[${Math.abs(lines)}${lines < 0 ? "A" : "B"}`);
    },
    hideCursor: () => write("\u001b[?25l"),
    showCursor: () => write("\u001b[?25h"),
    clearLine: () => write("\u001b[K"),
    clearFromCursor: () => write("\u001b[J"),
    clearScreen: () => write("\u001b[2J\u001b[H"),
  };
}

/** Reports keys and the mouse as a terminal does. */
function hand(send: (data: string) => void): Pick<InProcessTerminal, "type" | "click" | "wheel"> {
  return {
    type: send,
    click(column, row) {
      send(`\u001b[<0;${column + 1};${row + 1}M`);
      send(`\u001b[<0;${column + 1};${row + 1}m`);
    },
    wheel: (direction, column = 0, row = 0) =>
      send(`\u001b[<${direction === "up" ? 64 : 65};${column + 1};${row + 1}M`),
  };
}

/** The emulator parses later than it is written to; rows are read when it has caught up. */
async function readRows(emulator: xterm.Terminal, read: (row: number) => string): Promise<string[]> {
  await new Promise<void>((resolve) => emulator.write("", resolve));
  return Array.from({ length: emulator.rows }, (_, row) => read(row));
}

/** A component that asks for a second drawing in its first is settled after this many. */
const SETTLE_TURNS = 3;

function lineAt(emulator: xterm.Terminal, row: number): xterm.IBufferLine | undefined {
  const { active } = emulator.buffer;
  return active.getLine(active.baseY + row);
}
