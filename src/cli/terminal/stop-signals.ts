/** Stop signals from a user or a supervisor: stop, then stop now. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Stops {
  /**
   * Ignores Ctrl+C meanwhile, but no other signal. Ctrl+C reaches every program of the terminal: exiting on it while
   * the user stops a command inside their editor would orphan the editor and lose the text.
   */
  lendInterrupts<Value>(use: () => Promise<Value>): Promise<Value>;
  release(): void;
}

/** The first signal calls `onFirst`; the second calls `onSecond`, which must exit the process. */
export function listenForStops(onFirst: () => void, onSecond: () => void): Stops {
  let hasStopped = false;
  let borrowers = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal === "SIGINT" && borrowers > 0) return;
    if (hasStopped) return onSecond();
    hasStopped = true;
    onFirst();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    async lendInterrupts(use) {
      borrowers += 1;
      try {
        return await use();
      } finally {
        borrowers -= 1;
      }
    },
    release() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
