/** What a person or a supervisor can say to a run: stop, and stop now. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal asks; a second one is the end, and `onSecond` is expected to leave the process. */
export function listenForStops(onFirst: () => void, onSecond: () => void): { release(): void } {
  let hasStopped = false;
  const onSignal = () => {
    if (hasStopped) return onSecond();
    hasStopped = true;
    onFirst();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    release() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
