/** The real program in a pseudo-terminal, seen through a terminal emulator. */
import { spawn, type IPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { mainFile, type Home } from "../cli/program.ts";

const WAIT_MS = 20_000;

export interface SeenTerminal {
  /** Types as a person would: bytes into the terminal. */
  type(text: string): void;
  /** All that was ever shown, scrolled-off lines included, without trailing blanks. */
  text(): string;
  /** Resolves with the text once it holds what is wanted; rejects with what was seen instead. */
  sees(wanted: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): void;
  readonly modes: { bracketedPasteMode: boolean; wraparoundMode: boolean; isCursorHidden: boolean };
  readonly pid: number;
  readonly ended: Promise<number>;
  close(): void;
}

/** Runs in a shell that prints the terminal's settings before and after, so a test can compare them. */
export function openTerminal(home: Home, args: readonly string[], env: Record<string, string> = {}): SeenTerminal {
  const line = 'stty -g; "$0" "$@"; code=$?; stty -g; echo "exit $code"';
  const pty: IPty = spawn("/bin/sh", ["-c", line, process.execPath, mainFile, ...args], {
    cols: 80,
    rows: 24,
    cwd: home.project,
    // A screen that starts no server leaves nothing behind; test/launch/ asks for one.
    env: { ...home.env, TERM: "xterm-256color", ROUNDTABLE_BACKGROUND: "0", ...env },
  });
  const terminal = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 5_000, allowProposedApi: true });
  const waiting = new Set<() => void>();
  let isCursorHidden = false;
  pty.onData((data) => {
    const [shown, hidden] = [data.lastIndexOf("\u001b[?25h"), data.lastIndexOf("\u001b[?25l")];
    if (shown !== hidden) isCursorHidden = hidden > shown;
    terminal.write(data, () => {
      for (const look of waiting) look();
    });
  });
  const text = () => textOf(terminal);
  return {
    type: (keys) => pty.write(keys),
    text,
    sees(wanted) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`${String(wanted)} was not seen within ${WAIT_MS / 1000} s, but:\n${text()}`));
        }, WAIT_MS);
        const look = () => {
          const now = text();
          if (typeof wanted === "string" ? !now.includes(wanted) : !wanted.test(now)) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve(now);
        };
        waiting.add(look);
        look();
      });
    },
    resize(columns, rows) {
      terminal.resize(columns, rows);
      pty.resize(columns, rows);
    },
    get modes() {
      const { bracketedPasteMode, wraparoundMode } = terminal.modes;
      return { bracketedPasteMode, wraparoundMode, isCursorHidden };
    },
    pid: pty.pid,
    ended: new Promise((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode))),
    close: () => pty.kill("SIGKILL"),
  };
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
