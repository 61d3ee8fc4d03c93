/** What the caller of the terminal app provides: a connection, files, programs and the terminal. */
import type { AttachedFile, Client, LastingClient, PlannedSession, SessionDefaults } from "../../client/index.ts";
import type { MemberSpec, SeenAs } from "../../protocol/index.ts";
import type { KeysFile } from "../keys/parse-keymap.ts";
import type { SettingName, SettingsFile, SettingValue } from "./screen/settings.ts";
import type { DraftStore, HistoryStore } from "../input/prompt.ts";
import type { ExportSession } from "./screen/port.ts";

export interface ScreenConnection {
  readonly client: Client | LastingClient;
  /** Short label of where the session lives. */
  readonly label: string;
  /** Turns continue after the screen has closed. */
  readonly outlivesScreen: boolean;
  /** As whom a session is read; absent where there are no others. */
  readonly seenAs?: (sessionId: string) => Promise<SeenAs>;
  /** Warning about this connection for the user. */
  readonly warning?: string;
}

/** The directory of the session, as far as it is known. */
export interface DirectoryState {
  /** With `~` for the home directory. */
  readonly path: string;
  readonly branch?: string | undefined;
  readonly isDirty?: boolean | undefined;
}

/** What the first screen of a new session says beside its members. */
export interface Welcome {
  /** No session was stored before. */
  readonly isFirst: boolean;
  /** By member: the model and effort of its program, where the session sets none, and where the member comes from. */
  readonly members: Readonly<
    Record<
      string,
      { readonly model?: string; readonly effort?: string; readonly source: string; readonly isSandboxed?: boolean }
    >
  >;
  /** Agents that could join: why they are not there, and the command that helps. */
  readonly others: readonly {
    readonly name: string;
    readonly state: string;
    readonly command: string;
    readonly does: string;
  }[];
  /** At most three, about this repository, each with the reason why it is offered. */
  readonly questions: readonly { readonly text: string; readonly detail?: string }[];
}

export interface ScreenOptions {
  /** Of the program. */
  readonly version: string;
  /** Called after the first paint, so that connecting never delays it. */
  readonly connect: () => Promise<ScreenConnection>;
  /** Which session to show first; undefined for a new one. */
  readonly choose: (client: Client) => Promise<SessionChoice>;
  /** The session that will most likely be shown, for the time until `choose` resolves; absent for a new one. */
  readonly expected?: { readonly isNew: boolean; readonly title?: string };
  readonly createSession: (client: Client, firstText: string, planned: PlannedSession) => Promise<string>;
  /** What a new session starts with, and lines for first-time users. */
  readonly introduce: () => Promise<Introduction>;
  /** Read after the first frame of a new session. */
  readonly welcome?: () => Promise<Welcome>;
  /** Members that can be added by name: configured, built in or discovered. */
  readonly candidateMembers: () => Promise<readonly MemberSpec[]>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Overrides the settings file and is not written to it. */
  readonly theme?: string;
  /** Settings stored by `/settings`. */
  readonly settingsFile: SettingsFile;
  /** Rejects with the disk error. */
  readonly saveSetting: (name: SettingName, value: SettingValue) => Promise<void>;
  /** Contents of the user's keys file; empty when there is none. */
  readonly keysFile: KeysFile;
  /** `notify` reports disk errors. */
  readonly stores: (notify: (text: string) => void) => { readonly history: HistoryStore; readonly drafts: DraftStore };
  readonly editText: (text: string) => Promise<string | undefined>;
  /** The user's editor at a line of a file below `cwd`, which is the session's; absent when that is on another disk. */
  readonly editFile?: (file: string, line: number | undefined) => FileEditor;
  /** True when the text is known to be in a clipboard. */
  readonly copyText: (text: string) => Promise<boolean>;
  readonly saveFile: (name: string, text: string) => Promise<string>;
  /** Absent where the log cannot be reached. */
  readonly exportSession?: ExportSession;
  /** Shares a session with the team of this machine, or takes it back; resolves with what that means. Absent elsewhere. */
  readonly setShared?: (sessionId: string, isShared: boolean) => Promise<string>;
  /** Full text of a truncated event, by its hash; undefined when unavailable. */
  readonly readText?: (sessionId: string, sha256: string) => Promise<string | undefined>;
  /** Files of the directory of a new session; absent when the server has another disk. */
  readonly listFiles?: (query: string, limit: number) => Promise<readonly string[]>;
  /** Files of the machine the screen runs on; paths are relative to `cwd`, or to where the program was started. */
  readonly files: {
    /** Rejects with the reason, such as "it is a directory". */
    readonly read: (path: string, cwd: string | undefined) => Promise<AttachedFile>;
    /** Paths with this prefix; directories end with a slash. */
    readonly complete: (
      prefix: string,
      options: { readonly cwd: string | undefined; readonly limit: number },
    ) => Promise<readonly string[]>;
  };
  /** Absent without an interactive user, such as on a pipe. */
  readonly runShell?: RunShell | undefined;
  readonly doctor: () => Promise<readonly string[]>;
  /** Directory and branch, of the session's `cwd` or where a new one would be; absent when the server has another disk. */
  readonly describeDirectory?: (cwd: string | undefined) => Promise<DirectoryState>;
  /** Absent when it cannot be determined. */
  readonly hasDirectory?: (path: string) => boolean;
  /** False while a shell owns the terminal; absent when it cannot be determined. */
  readonly isInForeground?: () => boolean;
  /** Closes the screen from outside. */
  readonly signal: AbortSignal;
}

export interface FileEditor {
  /** It draws on the terminal of the app. */
  readonly needsTerminal: boolean;
  /** Resolves when the terminal is free again. Rejects with the reason when it cannot be started. */
  readonly open: () => Promise<void>;
}

/** Runs a command in the user's shell, in `cwd` or where the program was started. Rejects when it cannot start. */
export type RunShell = (
  command: string,
  options: {
    readonly cwd: string | undefined;
    readonly signal: AbortSignal;
    readonly onOutput: (text: string) => void;
  },
) => Promise<ShellEnd>;

export interface ShellEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Stopped by the user. */
  readonly isStopped: boolean;
}

export interface Introduction {
  readonly defaults: SessionDefaults;
  readonly lines: readonly string[];
}

/** `pick` shows the list of sessions first. */
export type SessionChoice = { readonly sessionId: string | undefined } | { readonly pick: true };
