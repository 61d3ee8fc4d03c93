/** What commands need of the screen beside its port: the overlays they open, and pages that are not in memory. */
import type { AttachedFiles } from "../app/session/attached-files.ts";
import type { ScreenOptions } from "../app/options.ts";
import type { Choice } from "../app/screen/port.ts";
import type { OutputPage, OutputSource } from "../overlays/output-overlay.ts";
import type { Permissions, SessionSummary } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";

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
