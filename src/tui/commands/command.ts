/** The door of the slash commands: each has a name, says what it takes, and says what it did. */
import type { Completion } from "../input/prompt.ts";
import type { Screen } from "../app/screen-port.ts";

export interface ScreenCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** With the slash and the arguments, as shown in help: `/mute NAME`. */
  readonly usage: string;
  readonly summary: string;
  readonly group: "talk" | "table" | "session" | "view" | "program";
  complete?(screen: Screen, prefix: string): readonly Completion[] | Promise<readonly Completion[]>;
  /** A wrong argument is a UsageError, whose message the screen shows with `usage`. */
  run(screen: Screen, args: string): void | Promise<void>;
}

export class UsageError extends Error {
  override readonly name = "UsageError";
}
