/** The door of the slash commands: each has a name, says what it takes, and says what it did. */
import type { Permissions, SessionSummary } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { ScreenOptions } from "../app/options.ts";
import type { Choice, Screen } from "../app/screen/port.ts";
import type { AttachedFiles } from "../app/session/attached-files.ts";
import type { Completion, Prompt } from "../input/prompt.ts";
import type { LogView } from "../log/log-view.ts";
import type { OutputPage, OutputSource } from "../overlays/text-overlay.ts";

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

/** What commands need of the screen beside its port: the overlays they open, and pages that are not in memory. */
export interface SessionsToPick {
  readonly sessions: readonly SessionSummary[];
  /** What is searched for at first. */
  readonly query?: string;
}

/** Without an id, a new session. */
export interface PickedSession {
  readonly sessionId?: string;
}

/** What members may do without asking. */
export interface PermissionsPage {
  /** As it was when it was last fetched. */
  readonly list: () => Permissions;
  /** Resolves with what is so now, when the list is fetched anew; rejects with why nothing has changed. */
  readonly revoke: (permissionId: string) => Promise<string>;
}

export interface CommandDeps {
  showMembers(): void;
  showPermissions(page: PermissionsPage): void;
  showQueue(): void;
  showSettings(): void;
  /** Looks for these words in all sessions, and for others that are typed then. */
  showSearch(query: string): void | Promise<void>;
  /** A subagent's turn by itself, with everything below it. */
  showSubagent(turnId: string): void;
  /** Undefined when the user left without a choice. */
  pickSession(list: SessionsToPick): Promise<PickedSession | undefined>;
  /** Like showText; lines that begin with + or - look added or removed. */
  showDiff(title: string, lines: readonly string[]): void;
  /** A page that grows while something runs. */
  showOutput(title: string, source: OutputSource): OutputPage;
  /** As in the options: the user's own shell. */
  readonly runShell: ScreenOptions["runShell"];
  /** As in the port; `at` is the choice that is marked at first. */
  pick<Value>(
    title: string,
    choices: readonly Choice<Value>[],
    options?: { readonly at?: number },
  ): Promise<Value | undefined>;
  /** True only for a clear yes. */
  confirm(title: string, message: string): Promise<boolean>;
  /** Puts a text of the user before them, to be changed and sent; what they are writing is not lost by that. */
  offerDraft(text: string): void;
  /** As in the options: a text that an event holds the beginning of. */
  readonly readText: ScreenOptions["readText"];
  /** The files that go with the next message. */
  readonly attached: AttachedFiles;
  /** As in the options: who can be seated by name. */
  readonly candidateMembers: ScreenOptions["candidateMembers"];
  /** The session with as many of its older pages as can be had; undefined when there is no session. */
  loadAll(): Promise<Transcript | undefined>;
}
