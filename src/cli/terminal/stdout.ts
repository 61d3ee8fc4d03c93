/**
 * Standard output that never throws: on a closed pipe (`| head -1`) or a full disk the first error is stored, listeners
 * are called once, and later writes are dropped.
 */
export interface StandardOutput {
  write(text: string): void;
  readonly isTty: boolean;
  /** Bytes written but still buffered in this process. */
  readonly unreadBytes: number;
  /** The first write error; EPIPE when the reader closed the pipe. */
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
        // Files are written synchronously and throw; pipes emit "error" later.
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
      // An error of the last write is emitted in the next turn of the event loop.
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

/** One line on stderr, apart from the result. Write errors are ignored. */
export function note(line: string): void {
  process.stderr.write(line, () => {});
}
