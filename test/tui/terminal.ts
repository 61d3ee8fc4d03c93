/** The real program in a pseudo-terminal, seen through a terminal emulator that answers as a terminal does. */
import { readdirSync, readFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawn, type IPty } from "@lydell/node-pty";
import { mainFile, type Home } from "../cli/program.ts";
import type { CellRun } from "./cell-styles.ts";
import { masked } from "./masked-screen.ts";
import { createEmulator, type Emulator, type EmulatorOptions, type TerminalModes } from "./emulator.ts";
import { patient } from "../patience.ts";

const WAIT_MS = patient(20_000);
/** Nothing more comes when nothing changed for so many looks at a program that sleeps; several frames fit into them. */
const QUIET_LOOKS = 8;
const LOOK_MS = 20;
const CHUNK_BYTES = 4_096;
/** Until a full terminal is written to again. */
const FULL_MS = 2;
/** Before a frame begins, and behind its end. */
// oxlint-disable-next-line no-control-regex -- it is a control that frames are made with.
const FRAME_EDGE = /(?=\u001b\[\?2026h)|(?<=\u001b\[\?2026l)/;

export interface Recorded {
  readonly atMs: number;
  /** What the program wrote, or the size that the window was given. */
  readonly what: string | { readonly columns: number; readonly rows: number };
}

export interface SeenTerminal {
  /** Types as a person would: bytes into the terminal. */
  type(text: string): void;
  paste(text: string): void;
  /** A left click on a cell, counted from 0. */
  click(column: number, row: number): void;
  wheel(direction: "up" | "down", column?: number, row?: number): void;
  /** All that was ever shown, scrolled-off lines included, without trailing blanks. */
  text(): string;
  /** The rows of the screen as it is now, without trailing blanks. */
  screen(): string[];
  /** The same with the look of every cell. */
  cells(): string[];
  /** The same, as pieces of one look each. */
  runs(): CellRun[][];
  /** Resolves with the text once it holds what is wanted; rejects with what was seen instead. */
  sees(wanted: string | RegExp): Promise<string>;
  /** Resolves with the text once it no longer holds this. */
  losesSight(unwanted: string | RegExp): Promise<string>;
  /** Resolves once this holds, asked whenever something was drawn. */
  shows(isSo: () => boolean): Promise<string>;
  /** Resolves with the rows when nothing but spinners has changed for a while in which the program had nothing to do. */
  rests(): Promise<string[]>;
  resize(columns: number, rows: number): void;
  readonly modes: TerminalModes;
  readonly title: string;
  /** Control strings that reached the terminal. */
  readonly strings: readonly string[];
  /** Everything written, in order, with the resizes between. */
  readonly recording: readonly Recorded[];
  readonly cursor: { column: number; row: number };
  /** Of the shell that runs the program. */
  readonly pid: number;
  /** Of the program itself. */
  readonly programPid: number;
  readonly ended: Promise<number>;
  close(): void;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly hasKitty?: boolean;
  readonly background?: string;
  /** A line for the shell instead of the one that runs the program between two looks at the terminal's settings. */
  readonly line?: string;
}

const TERMINAL = {
  TERM: "xterm-256color",
  COLORTERM: "truecolor",
  // Programs are started by the dozen; compiled once they start in a third of the time.
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? path.join(tmpdir(), "roundtable-tests-compiled"),
};

/** Prints the terminal's settings before and after, so a test can compare them. */
const BETWEEN_LOOKS = 'stty -g; "$0" "$@"; code=$?; stty -g; echo "exit $code"';

export function openTerminal(
  home: Home,
  args: readonly string[],
  env: Record<string, string> = {},
  options: TerminalOptions = {},
): SeenTerminal {
  const { columns = 80, rows = 24, hasKitty = true, line = BETWEEN_LOOKS } = options;
  const pty: IPty = spawn("/bin/sh", ["-c", line, process.execPath, mainFile, ...args], {
    cols: columns,
    rows,
    cwd: home.project,
    // A screen that starts no server leaves nothing behind; test/launch/ asks for one.
    env: { ...home.env, ...TERMINAL, ROUNDTABLE_BACKGROUND: "0", ...env },
  });
  const emulated = emulate(pty, { columns, rows, hasKitty, background: options.background });
  const { emulator, recording, looks, send, ended } = emulated;
  return {
    type: send,
    ...hand(send),
    text: emulator.text,
    screen: emulator.screen,
    cells: emulator.cells,
    runs: emulator.runs,
    sees: (wanted) => looks.until(`${String(wanted)} was not seen`, (text) => isIn(text, wanted)),
    losesSight: (unwanted) => looks.until(`${String(unwanted)} did not go`, (text) => !isIn(text, unwanted)),
    shows: (isSo) => looks.until("what was waited for did not come", isSo),
    rests: () => rest(emulator, () => isAsleep(pty.pid)),
    resize(nextColumns, nextRows) {
      emulated.record({ columns: nextColumns, rows: nextRows });
      emulator.resize(nextColumns, nextRows);
      pty.resize(nextColumns, nextRows);
    },
    get modes() {
      return emulator.modes;
    },
    get title() {
      return emulator.title;
    },
    get cursor() {
      return emulator.cursor();
    },
    strings: emulator.strings,
    recording,
    pid: pty.pid,
    get programPid() {
      return Number(readFileSync(`/proc/${pty.pid}/task/${pty.pid}/children`, "utf8").trim());
    },
    ended,
    close() {
      if (!emulated.isOver()) pty.kill("SIGKILL");
    },
  };
}

/** The emulator at the end of the wire, everything that came over it, and the way back. */
function emulate(pty: IPty, size: Omit<EmulatorOptions, "answer">) {
  let isOver = false;
  const send = createSend(pty, () => isOver);
  const emulator = createEmulator({ ...size, answer: send });
  const recording: Recorded[] = [];
  const record = (what: Recorded["what"]) => recording.push({ atMs: performance.now(), what });
  const looks = createLooks(emulator);
  pty.onData((data) => {
    record(data);
    // Every frame is looked at, also when several were waiting to be read.
    for (const piece of data.split(FRAME_EDGE)) emulator.write(piece, () => looks.look());
  });
  const ended = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      isOver = true;
      resolve(exitCode);
    }),
  );
  return { emulator, recording, record, looks, send, ended, isOver: () => isOver };
}

/**
 * A terminal takes no more than its program reads. The stream of the pseudo-terminal would ask for room all the time, on a
 * core that the program needs.
 */
function createSend(pty: IPty, isOver: () => boolean): (data: string) => void {
  const { fd } = pty as IPty & { readonly fd: number };
  let waiting = Buffer.alloc(0);
  const write = () => {
    try {
      while (waiting.length > 0 && !isOver())
        waiting = waiting.subarray(writeSync(fd, waiting, 0, Math.min(CHUNK_BYTES, waiting.length)));
    } catch (error) {
      // Its other end may just have been closed.
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") setTimeout(write, FULL_MS);
    }
  };
  return (data) => {
    const isWriting = waiting.length > 0;
    waiting = Buffer.concat([waiting, Buffer.from(data)]);
    if (!isWriting) write();
  };
}

type Hand = Pick<SeenTerminal, "paste" | "click" | "wheel">;

/** Reports the mouse and pastes as a terminal does. */
function hand(send: (data: string) => void): Hand {
  return {
    paste: (text) => send(`\u001b[200~${text}\u001b[201~`),
    click(column, row) {
      send(`\u001b[<0;${column + 1};${row + 1}M`);
      send(`\u001b[<0;${column + 1};${row + 1}m`);
    },
    wheel: (direction, column = 2, row = 4) =>
      send(`\u001b[<${direction === "up" ? 64 : 65};${column + 1};${row + 1}M`),
  };
}

function isIn(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

/** A picture counts when no frame is half drawn. */
function createLooks(emulator: Emulator) {
  const waiting = new Set<() => void>();
  return {
    look() {
      if (emulator.modes.isInFrame) return;
      for (const one of waiting) one();
    },
    until(otherwise: string, isSo: (text: string) => boolean): Promise<string> {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          const shown = emulator.text();
          reject(new Error(`${otherwise} within ${WAIT_MS / 1000} s:\n${shown}`));
        }, WAIT_MS);
        const look = () => {
          const text = emulator.text();
          if (!isSo(text)) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(text);
        };
        waiting.add(look);
        if (!emulator.modes.isInFrame) look();
      });
    },
  };
}

/**
 * Spinners and clocks go on while the rest of the picture stands. Looks are counted and not time: after a pause of this
 * process what was written meanwhile is read between two of them, and a program that waits for the machine is not done.
 */
async function rest(emulator: Emulator, isDone: () => boolean): Promise<string[]> {
  const deadline = performance.now() + WAIT_MS;
  let [shown, looks] = ["", 0];
  for (;;) {
    const now = masked(emulator.screen());
    if (now !== shown || emulator.modes.isInFrame) [shown, looks] = [now, 0];
    else if (isDone()) looks += 1;
    if (looks >= QUIET_LOOKS) return emulator.screen();
    if (performance.now() > deadline) throw new Error(`the screen did not rest:\n${emulator.text()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Whether the process and all below it wait for something to happen: nobody runs, wants to run, or waits for the disk. */
function isAsleep(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((task) => {
      const directory = `/proc/${pid}/task/${task}`;
      const state = readFileSync(`${directory}/stat`, "utf8").split(") ").at(-1)?.[0] ?? "";
      const children = readFileSync(`${directory}/children`, "utf8").split(" ").filter(Boolean);
      return !"RDT".includes(state) && children.every((child) => isAsleep(Number(child)));
    });
  } catch {
    // It has ended, or a thread of it; what it still did is seen at the next look.
    return true;
  }
}
