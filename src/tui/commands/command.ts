/** The door of the slash commands: each has a name, says what it takes, and says what it did. */
import type { Screen } from "../app/screen/port.ts";
import type { Completion, Prompt } from "../input/prompt.ts";
import type { LogView } from "../log/log-view.ts";
import type { CommandDeps } from "./command-deps.ts";

/** What a command runs on: of the log and the prompt no more than commands use, since not every screen draws them. */
export type CommandScreen = Omit<Screen, "log" | "prompt"> &
  CommandDeps & {
    readonly log: Pick<LogView, "selected" | "search" | "endSearch" | "searchState">;
    readonly prompt: Pick<Prompt, "text" | "setText">;
  };

export interface ScreenCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** With the slash and the arguments, as shown in help: `/mute NAME`. */
  readonly usage: string;
  readonly summary: string;
  readonly group: CommandGroup;
  /** `prefix` is everything after the name; a value replaces all of it. */
  complete?(screen: CommandScreen, prefix: string): readonly Completion[] | Promise<readonly Completion[]>;
  /** A wrong argument is a UsageError, whose message the screen shows with `usage`. */
  run(screen: CommandScreen, args: string): void | Promise<void>;
}

export type CommandGroup = "talk" | "table" | "session" | "view" | "program";

export class UsageError extends Error {
  override readonly name = "UsageError";
}
