/** What the caller of the screen reader provides: a connection, lines in, lines out. */
import type { Readable } from "node:stream";
import type { Clock } from "../../kit/clock.ts";
import type { ScreenOptions } from "../app/options.ts";

type Shared =
  | "connect"
  | "choose"
  | "createSession"
  | "introduce"
  | "candidateMembers"
  | "copyText"
  | "saveFile"
  | "exportSession"
  | "files"
  | "runShell"
  | "readText"
  | "setShared"
  | "doctor"
  | "hasDirectory"
  | "signal";

export interface ReaderOptions extends Pick<ScreenOptions, Shared> {
  readonly write: (text: string) => void;
  readonly input: Readable;
  /** Interactive: end of input closes at once. End of a pipe waits for all answers. */
  readonly isTyped: boolean;
  /** Called for every Ctrl+C; returns the unsubscribe function. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly clock?: Clock;
}
