/** A program in a pseudo-terminal, 120 × 40 unless told otherwise, and its screen. */
import { spawn, type IPty } from "@lydell/node-pty";
import xterm from "@xterm/headless";

const WAIT_MS = 60_000;
const SIZE: Size = { cols: 120, rows: 40 };

export interface Seen {
  readonly pty: IPty;
  readonly startedAt: number;
  /** Resolves with the time at which it was visible. */
  sees(test: (rows: readonly string[]) => boolean, what: string): Promise<number>;
}

export interface OnScreenOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly size?: Size;
}

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

/** Whether a row of our terminal app is the one that is typed into. */
export const isInput = (row: string) => row.trimStart().startsWith("❯");

export function openOnScreen(command: string, args: readonly string[], options: OnScreenOptions): Seen {
  const { cwd, env = {}, size = SIZE } = options;
  const startedAt = performance.now();
  const pty = spawn(command, [...args], {
    ...size,
    cwd,
    env: { ...process.env, TERM: "xterm-256color", COLORTERM: "truecolor", ...env },
  });
  const terminal = new xterm.Terminal({ ...size, allowProposedApi: true });
  const looks = new Set<() => void>();
  terminal.onData((data) => pty.write(data));
  pty.onData((data) => terminal.write(data, () => looks.forEach((look) => look())));
  const rows = () =>
    Array.from({ length: size.rows }, (_, row) => {
      const { active } = terminal.buffer;
      return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    });
  return {
    pty,
    startedAt,
    sees(test, what) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = setTimeout(() => reject(new Error(`${what} was not seen:\n${rows().join("\n")}`)), WAIT_MS);
      const look = () => {
        if (!test(rows())) return;
        clearTimeout(late);
        looks.delete(look);
        resolve(performance.now());
      };
      looks.add(look);
      look();
      return promise;
    },
  };
}
