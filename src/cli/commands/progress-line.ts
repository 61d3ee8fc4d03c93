/** How far long work has come, on one line of stderr that is drawn over; silent where stderr is no terminal. */
const TELL_EVERY_MS = 200;

export interface Progress {
  readonly tell: (done: number, of: number) => void;
  end(): void;
}

export function createProgress(word: string): Progress {
  const { stderr } = process;
  let toldAtMs = performance.now();
  let isShown = false;
  return {
    tell(done, of) {
      // Short work needs no line.
      if (!stderr.isTTY || performance.now() - toldAtMs < TELL_EVERY_MS) return;
      toldAtMs = performance.now();
      isShown = true;
      stderr.write(`\r\u001B[2K${word} ${done} of ${of}`);
    },
    end() {
      if (isShown) stderr.write("\r\u001B[2K");
      isShown = false;
    },
  };
}
