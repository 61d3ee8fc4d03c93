/**
 * Puts the terminal back on every way out. Without it an exception leaves the user in raw mode on the alternate screen,
 * with the mouse captured and nothing to read.
 */

export interface TerminalGuard {
  release(): void;
}

export interface GuardedScreen {
  restore(): void;
  /** Called after `restore`. */
  die(error: unknown): void;
}

export function guardTerminal(screen: GuardedScreen): TerminalGuard {
  const onFault = (error: unknown) => {
    screen.restore();
    screen.die(error);
  };
  const onExit = () => screen.restore();
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  process.on("exit", onExit);
  return {
    release() {
      process.off("uncaughtException", onFault);
      process.off("unhandledRejection", onFault);
      process.off("exit", onExit);
    },
  };
}

/** Gives the terminal to the shell until the user comes back. Windows has no such thing; there it does nothing. */
export function suspend(screen: { restore(): void; resume(): void }): void {
  if (process.platform === "win32") return;
  screen.restore();
  process.once("SIGCONT", () => screen.resume());
  // The whole group, as Ctrl+Z in a cooked terminal does: a wrapper such as npx must stop too.
  process.kill(0, "SIGTSTP");
}
