/** Interface of slash commands and of the screen they run on. */
import type { Permissions, SessionSummary } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import type { ScreenOptions } from "../app/options.ts";
import type { Choice, Screen } from "../app/screen/port.ts";
import type { AttachedFiles } from "../app/session/attached-files.ts";
import type { Completion, Prompt } from "../input/prompt.ts";
import type { LogView } from "../log/log-view.ts";
import type { Arrangement } from "../panels/panel.ts";
import type { ChangeSet } from "../overlays/diff-overlay.ts";
import type { ModelChoice, ModelOverlayOptions } from "../overlays/model-overlay.ts";
import type { OutputPage, OutputSource } from "../overlays/text-overlay.ts";

/** Only the parts of log and prompt that commands use, since the screen reader draws neither. */
export type CommandScreen = Omit<Screen, "log" | "prompt"> &
  CommandDeps & {
    readonly log: Pick<LogView, "selected" | "search" | "endSearch" | "searchState">;
    readonly prompt: Pick<Prompt, "text" | "setText">;
  };

export interface ScreenCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** With slash and arguments, as shown in help: `/mute NAME`. */
  readonly usage: string;
  readonly summary: string;
  readonly group: CommandGroup;
  /** `prefix` is everything after the name; a value replaces all of it. */
  complete?(screen: CommandScreen, prefix: string): readonly Completion[] | Promise<readonly Completion[]>;
  /** Throws UsageError for a wrong argument, shown with `usage`, and UnavailableError for what is not possible. */
  run(screen: CommandScreen, args: string): void | Promise<void>;
}

export type CommandGroup = "talk" | "table" | "session" | "view" | "program";

export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command is written as it should be, but cannot be done here or now: its usage would be of no help. */
export class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

/** Sessions offered by the picker. */
export interface SessionsToPick {
  readonly sessions: readonly SessionSummary[];
  /** Initial query. */
  readonly query?: string;
}

/** Without an id, a new session. */
export interface PickedSession {
  readonly sessionId?: string;
}

/** Data of the permissions overlay. */
export interface PermissionsPage {
  /** As last fetched. */
  readonly list: () => Permissions;
  /** Resolves with a message once the list was fetched again; rejects with the reason. */
  readonly revoke: (permissionId: string) => Promise<string>;
}

export interface CommandDeps {
  showMembers(): void;
  showPermissions(page: PermissionsPage): void;
  showQueue(): void;
  showSettings(): void;
  /** Searches all sessions; the query can be edited there. */
  showSearch(query: string): void | Promise<void>;
  /** Shows a subagent's turn with everything below it. */
  showSubagent(turnId: string): void;
  /** Undefined when nothing was chosen. */
  pickSession(list: SessionsToPick): Promise<PickedSession | undefined>;
  /** Like showText; lines starting with + or - are coloured as added or removed. */
  showDiff(title: string, lines: readonly string[]): void;
  /** Shows a page that grows while something runs. */
  showOutput(title: string, source: OutputSource): OutputPage;
  /** See ScreenOptions: the user's own shell. */
  readonly runShell: ScreenOptions["runShell"];
  /** As in the port; `at` is the first choice. */
  pick<Value>(
    title: string,
    choices: readonly Choice<Value>[],
    options?: { readonly at?: number },
  ): Promise<Value | undefined>;
  /** Shows what every member uses and offers; undefined when nothing was chosen. Absent for screen readers. */
  readonly pickModel?: (options: Pick<ModelOverlayOptions, "members" | "member">) => Promise<ModelChoice | undefined>;
  /** Files and their diffs on the whole screen. Absent for screen readers. */
  readonly showChanges?: (sets: readonly ChangeSet[]) => void;
  /** Stores the layout of members who answer at the same time. Absent for screen readers. */
  readonly arrange?: (view: Arrangement | "auto") => void;
  /** True only for an explicit yes. */
  confirm(title: string, message: string): Promise<boolean>;
  /** Puts text into the draft for editing; the current draft goes into the history. */
  offerDraft(text: string): void;
  /** See ScreenOptions: full text of a truncated event. */
  readonly readText: ScreenOptions["readText"];
  /** See ScreenOptions; undefined where sharing is decided on another machine. */
  setShared(sessionId: string, isShared: boolean): Promise<string> | undefined;
  /** Attachments of the next message. */
  readonly attached: AttachedFiles;
  /** See ScreenOptions: members that can be added by name. */
  readonly candidateMembers: ScreenOptions["candidateMembers"];
  /** The transcript with as many older pages as can be read; undefined without a session. */
  loadAll(): Promise<Transcript | undefined>;
}
