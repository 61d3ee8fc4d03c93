/** Progress on one line of stderr; silent unless stderr is a terminal. */
const UPDATE_EVERY_MS = 200;

export interface Progress {
  readonly update: (done: number, of: number) => void;
  end(): void;
}

export function createProgress(word: string): Progress {
  const { stderr } = process;
  let updatedAtMs = performance.now();
  let isShown = false;
  return {
    update(done, of) {
      // Fast operations show no progress.
      if (!stderr.isTTY || performance.now() - updatedAtMs < UPDATE_EVERY_MS) return;
      updatedAtMs = performance.now();
      isShown = true;
      stderr.write(`\r\u001B[2K${word} ${done} of ${of}`);
    },
    end() {
      if (isShown) stderr.write("\r\u001B[2K");
      isShown = false;
    },
  };
}
