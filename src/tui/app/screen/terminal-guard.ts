/**
 * Puts the terminal back on every way out, and while the process is stopped. Without it an exception or a signal leaves
 * the user in raw mode on the alternate screen, with the mouse captured and nothing to read.
 */

export interface TerminalGuard {
  release(): void;
}

export interface GuardedTerminal {
  pause(): void;
  /** False while another one has the terminal, and after `restore`. */
  readonly canResume: boolean;
  /** An editor has it: what the keyboard signals reaches this process too, and is not meant for it. */
  readonly isLent: boolean;
  resume(): void;
  /** For good. */
  restore(): void;
}

/** They end the process, and nobody else listens for them. */
const DEADLY = ["SIGQUIT", "SIGABRT", "SIGALRM", "SIGVTALRM", "SIGXCPU", "SIGUSR2", "SIGIO", "SIGPWR"] as const;
/** It would open the debugger of the runtime, which writes about itself over the screen. */
const IGNORED_SIGNAL = "SIGUSR1";

export interface GuardOptions {
  /** Called when the terminal is as it was. */
  readonly die: (error: unknown) => void;
  /** False while a shell has the terminal. */
  readonly isInForeground?: (() => boolean) | undefined;
}

export function guardTerminal(
  terminal: GuardedTerminal,
  { die, isInForeground = () => true }: GuardOptions,
): TerminalGuard {
  const onError = (error: unknown) => {
    terminal.restore();
    die(error);
  };
  const onExit = () => terminal.restore();
  const onDeadly = (signal: NodeJS.Signals) => {
    if (signal === "SIGQUIT" && terminal.isLent) return;
    terminal.restore();
    process.off(signal, onDeadly);
    process.kill(process.pid, signal);
  };
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onError);
  process.on("exit", onExit);
  const stops = process.platform === "win32" ? undefined : watchStops(terminal, isInForeground);
  const ignore = () => {};
  if (stops !== undefined) {
    for (const signal of DEADLY) process.on(signal, onDeadly);
    process.on(IGNORED_SIGNAL, ignore);
  }
  return {
    release() {
      process.off("uncaughtException", onError);
      process.off("unhandledRejection", onError);
      process.off("exit", onExit);
      for (const signal of DEADLY) process.off(signal, onDeadly);
      process.off(IGNORED_SIGNAL, ignore);
      stops?.release();
    },
  };
}

/** Gives the terminal to the shell until the user comes back. Windows has no such thing; there it does nothing. */
export function suspend(): void {
  if (process.platform !== "win32") process.kill(process.pid, "SIGTSTP");
}

const FOREGROUND_POLL_MS = 200;

/** Where nobody can tell: who changes the settings from the background is stopped again, before anything is drawn over what the shell shows. */
function waitForForeground(): void {
  if (!process.stdin.isTTY) return;
  process.stdin.setRawMode(true);
  process.stdin.setRawMode(false);
}

function watchStops(terminal: GuardedTerminal, isInForeground: () => boolean): TerminalGuard {
  const onContinue = () => {
    terminal.pause();
    setImmediate(() => setImmediate(comeBack));
  };
  const listen = () => process.on("SIGTSTP", onStop).on("SIGCONT", onContinue);
  const release = () => process.off("SIGTSTP", onStop).off("SIGCONT", onContinue);
  // The runtime puts the settings back as it ends, and would be stopped at that for ever; they are back already.
  const onExit = () => {
    if (isInForeground()) return;
    process.removeAllListeners("SIGTERM");
    process.kill(process.pid, "SIGTERM");
  };
  function onStop(): void {
    terminal.pause();
    release();
    process.off("exit", onExit).on("exit", onExit);
    // The whole group, as Ctrl+Z in a cooked terminal does: a wrapper such as npx must stop too. The next line runs when
    // the group goes on, or at once where no shell could wake it: the system does not stop such a group.
    process.kill(0, "SIGTSTP");
    listen();
    // Whoever was woken to be ended hears of that first, and takes nothing.
    setImmediate(() => setImmediate(comeBack));
  }
  function comeBack(): void {
    if (!terminal.canResume) return;
    // Woken in the background, to be ended or to go on working there.
    if (!isInForeground()) return void setTimeout(comeBack, FOREGROUND_POLL_MS);
    waitForForeground();
    terminal.resume();
  }
  listen();
  return { release };
}
