/**
 * The process's standard output. A reader that goes away (`| head -1`) or a full disk never throws here: the first
 * fault is kept, told once, and everything after it is dropped.
 */
export interface StandardOutput {
  write(text: string): void;
  readonly isTty: boolean;
  /** Written, and still in this process because nobody reads it. */
  readonly unreadBytes: number;
  /** What went wrong; a reader that only went away counts, too. */
  readonly error: NodeJS.ErrnoException | undefined;
  onError(listener: () => void): void;
  /** Resolves when everything written has left the process. */
  flush(): Promise<void>;
}

function createStandardOutput(stream: NodeJS.WriteStream): StandardOutput {
  let firstError: NodeJS.ErrnoException | undefined;
  const listeners = new Set<() => void>();
  const fail = (error: NodeJS.ErrnoException) => {
    if (firstError !== undefined) return;
    firstError = error;
    for (const listener of listeners) listener();
  };
  stream.on("error", fail);
  return {
    write(text) {
      if (firstError !== undefined) return;
      try {
        stream.write(text);
      } catch (error) {
        // A file is written at once and throws; a pipe tells later by its event.
        fail(error as NodeJS.ErrnoException);
      }
    },
    isTty: stream.isTTY,
    get unreadBytes() {
      return stream.writableLength;
    },
    get error() {
      return firstError;
    },
    onError: (listener) => void listeners.add(listener),
    async flush() {
      // The fault of a write that was made just now is told by the stream in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise<void>((resolve) => {
        if (firstError !== undefined || stream.writableLength === 0) return resolve();
        const done = () => {
          listeners.delete(done);
          resolve();
        };
        listeners.add(done);
        stream.write("", done);
      });
    },
  };
}

export const stdout: StandardOutput = createStandardOutput(process.stdout);

/** A note for the person: one line, never in the way of the result. Nothing can be done when it cannot be written. */
export function note(line: string): void {
  process.stderr.write(line, () => {});
}
