/** What a reader is given from outside: a table to sit at, lines in, lines out. */
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
  | "doctor"
  | "hasDirectory"
  | "signal";

export interface ReaderOptions extends Pick<ScreenOptions, Shared> {
  readonly write: (text: string) => void;
  readonly input: Readable;
  /** A person types: the end of the input leaves at once. The end of a pipe waits until everybody has answered. */
  readonly isTyped: boolean;
  /** Calls back for every Ctrl+C; the returned function ends that. */
  readonly onInterrupt: (listener: () => void) => () => void;
  readonly clock?: Clock;
}
