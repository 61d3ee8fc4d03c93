/** What the screen is given from outside: a table to sit at, files, programs and the terminal. */
import type { AttachedFile, Client, LastingClient } from "../../client/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { KeysFile } from "../keys/parse-keymap.ts";
import type { SettingName, SettingsFile, SettingValue } from "./screen/settings.ts";
import type { DraftStore, HistoryStore } from "../input/prompt.ts";
import type { ExportSession } from "./screen/port.ts";

export interface ScreenConnection {
  readonly client: Client | LastingClient;
  /** Where the session lives, in a few words. */
  readonly label: string;
  /** True when turns go on after the screen has gone. */
  readonly outlivesScreen: boolean;
  /** Something the user should know of this seat. */
  readonly warning?: string;
}

export interface ScreenOptions {
  /** Called after the first paint, so nothing is waited for before something is seen. */
  readonly connect: () => Promise<ScreenConnection>;
  /** Which session to show first; undefined is a new one. */
  readonly choose: (client: Client) => Promise<SessionChoice>;
  /** What will most likely be shown, for the time until that is chosen; absent is a new session. */
  readonly expected?: { readonly isNew: boolean; readonly title?: string };
  readonly createSession: (client: Client, firstText: string) => Promise<string>;
  /** Who would answer in a new session, and lines for a user who starts here for the first time. */
  readonly introduce: () => Promise<Introduction>;
  /** Who can be seated by name: configured, built in or found. */
  readonly candidateMembers: () => Promise<readonly MemberSpec[]>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wins over the one of the settings file, and is not written there. */
  readonly theme?: string;
  /** What `/settings` has kept. */
  readonly settingsFile: SettingsFile;
  /** Rejects with what is wrong with the disk. */
  readonly saveSetting: (name: SettingName, value: SettingValue) => Promise<void>;
  /** The user's keys file, as it is; empty when there is none. */
  readonly keysFile: KeysFile;
  /** Made with a place to say what is wrong with the disk. */
  readonly stores: (notify: (text: string) => void) => { readonly history: HistoryStore; readonly drafts: DraftStore };
  readonly editText: (text: string) => Promise<string | undefined>;
  /** True when the text is known to be in a clipboard. */
  readonly copyText: (text: string) => Promise<boolean>;
  readonly saveFile: (name: string, text: string) => Promise<string>;
  /** Absent where the log cannot be reached. */
  readonly exportSession?: ExportSession;
  /** A text that an event holds the beginning of, by its hash; undefined when it is not to be had. */
  readonly readText?: (sessionId: string, sha256: string) => Promise<string | undefined>;
  /** Files of the directory that a new session would be about; absent where the server has another disk. */
  readonly listFiles?: (query: string, limit: number) => Promise<readonly string[]>;
  /** Files of the machine that the screen runs on; a path is relative to `cwd`, or to where the program was started. */
  readonly files: {
    /** Rejects with what was found, such as "it is a directory". */
    readonly read: (path: string, cwd: string | undefined) => Promise<AttachedFile>;
    /** Paths that begin so, folders with a slash at their end. */
    readonly complete: (
      prefix: string,
      options: { readonly cwd: string | undefined; readonly limit: number },
    ) => Promise<readonly string[]>;
  };
  /** Absent where no person is who could mean it, such as at a pipe. */
  readonly runShell?: RunShell | undefined;
  readonly doctor: () => Promise<readonly string[]>;
  /** Whether there is such a directory; absent where nobody can tell. */
  readonly hasDirectory?: (path: string) => boolean;
  /** False while a shell has the terminal; absent where nobody can tell. */
  readonly isInForeground?: () => boolean;
  /** Ends the screen from outside. */
  readonly signal: AbortSignal;
}

/** Runs a command in the user's own shell, in `cwd` or where the program was started. Rejects when it cannot start. */
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
  /** By the user. */
  readonly isStopped: boolean;
}

export interface Introduction {
  readonly members: readonly string[];
  readonly lines: readonly string[];
  /** Whether members of a new session may change files and run commands. */
  readonly isWritable?: boolean;
}

/** `pick` shows the list of sessions first. */
export type SessionChoice = { readonly sessionId: string | undefined } | { readonly pick: true };
