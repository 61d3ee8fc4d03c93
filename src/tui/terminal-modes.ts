/** The terminal as this screen needs it, and as it was before: put back on every way out that a process can notice. */
import type { ReadStream, WriteStream } from "node:tty";

const PASTE_ON = "\u001b[?2004h";
/** Also what a drawing that was cut short may have left: no wrapping, no cursor, a frame without an end. */
const RESTORE = "\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?2026l\u001b[0m";

/** Returns the way back; it may be taken any number of times. */
export function takeTerminal(input: ReadStream, output: WriteStream): () => void {
  let isTaken = true;
  const restore = () => {
    if (!isTaken) return;
    isTaken = false;
    process.off("exit", restore);
    output.write(RESTORE);
    input.setRawMode(false);
    input.pause();
  };
  // Reached by process.exit and by errors nobody caught.
  process.on("exit", restore);
  input.setRawMode(true);
  input.resume();
  output.write(PASTE_ON);
  return restore;
}
