/**
 * Restores the terminal on every exit, and while the process is suspended. Otherwise an exception or a signal leaves
 * the user in raw mode on the alternate screen with the mouse captured.
 */

export interface TerminalGuard {
  release(): void;
}

export interface GuardedTerminal {
  pause(): void;
  /** False while another program owns the terminal, and after `restore`. */
  readonly canResume: boolean;
  /** An editor owns the terminal: keyboard signals reach this process too, but are not meant for it. */
  readonly isLent: boolean;
  resume(): void;
  /** Final; nothing resumes after it. */
  restore(): void;
}

/** Signals that end the process without another listener. */
const DEADLY = ["SIGQUIT", "SIGABRT", "SIGALRM", "SIGVTALRM", "SIGXCPU", "SIGUSR2", "SIGIO", "SIGPWR"] as const;
/** Would open Node's inspector, which prints over the screen. */
const IGNORED_SIGNAL = "SIGUSR1";

export interface GuardOptions {
  /** Called when the terminal is restored. */
  readonly die: (error: unknown) => void;
  /** False while a shell owns the terminal. */
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

/** Suspends to the shell until the user returns. Does nothing on Windows. */
export function suspend(): void {
  if (process.platform !== "win32") process.kill(process.pid, "SIGTSTP");
}

const FOREGROUND_POLL_MS = 200;

/**
 * Fallback when the foreground is unknown: changing terminal settings from the background stops the process again,
 * before it draws over the shell.
 */
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
  // Node restores the settings at exit and would be stopped there for ever; they are restored already.
  const onExit = () => {
    if (isInForeground()) return;
    process.removeAllListeners("SIGTERM");
    process.kill(process.pid, "SIGTERM");
  };
  function onStop(): void {
    terminal.pause();
    release();
    process.off("exit", onExit).on("exit", onExit);
    // Stops the whole group, as Ctrl+Z in a cooked terminal does, so that a wrapper such as npx stops too. Continues
    // when the group is resumed, or at once where no shell could resume it, since the kernel does not stop orphaned
    // groups.
    process.kill(0, "SIGTSTP");
    listen();
    // Lets a pending termination signal run first.
    setImmediate(() => setImmediate(comeBack));
  }
  function comeBack(): void {
    if (!terminal.canResume) return;
    // Resumed in the background, to be terminated or to continue there.
    if (!isInForeground()) return void setTimeout(comeBack, FOREGROUND_POLL_MS);
    waitForForeground();
    terminal.resume();
  }
  listen();
  return { release };
}
