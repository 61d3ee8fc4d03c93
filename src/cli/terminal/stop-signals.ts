/** What a person or a supervisor can say to a run: stop, and stop now. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface Stops {
  /**
   * Ctrl+C is not heard meanwhile, other signals are. It reaches every program of the terminal: one that goes when
   * somebody stops a command in an editor leaves the editor behind, and loses the text.
   */
  lendInterrupts<Value>(use: () => Promise<Value>): Promise<Value>;
  release(): void;
}

/** The first signal asks; a second one is the end, and `onSecond` is expected to leave the process. */
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
