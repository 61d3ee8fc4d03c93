/** What a command or an overlay may do with the screen it runs on. */
import type { CommandBody, ConnectionState } from "../../../client/index.ts";
import type { Ack, SessionSummary } from "../../../protocol/index.ts";
import type { Transcript } from "../../../transcript/index.ts";
import type { Prompt } from "../../input/prompt.ts";
import type { KeyHelp } from "../../keys/keymap.ts";
import type { LogView } from "../../log/log-view.ts";
import type { ViewSettings } from "../../panels/panel.ts";
import type { Theme, Tone } from "../../theme/theme.ts";

export interface Choice<Value> {
  readonly label: string;
  readonly description?: string;
  readonly value: Value;
}

export interface Screen {
  readonly theme: Theme;
  readonly themes: readonly string[];
  setTheme(name: string): void;
  readonly view: ViewSettings;
  setView(change: Partial<ViewSettings>): void;
  readonly log: LogView;
  readonly prompt: Prompt;
  readonly keys: readonly KeyHelp[];
  readonly now: number;

  /** Undefined until the first message of a new session. */
  readonly sessionId: string | undefined;
  /** Who would answer in a session that has not begun; empty as long as nobody knows. */
  readonly newMembers: readonly string[];
  /** Whether they could change files. */
  readonly isNewWritable: boolean;
  /** Undefined until the session's picture is there. */
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  /** A wish for the session that is shown. A refusal is returned, not thrown; there being no session is a UsageError. */
  command(body: CommandBody): Promise<Ack>;
  send(text: string, how: "send" | "queue"): Promise<void>;
  interrupt(scope: "own" | "all"): Promise<void>;
  sessions(): Promise<readonly SessionSummary[]>;
  /** Shows another session; undefined is a new one, which begins with its first message. */
  openSession(sessionId: string | undefined): Promise<void>;
  /** To the trash. Rejects with why not. */
  deleteSession(sessionId: string): Promise<void>;
  /** Milliseconds there and back. */
  ping(): Promise<number>;

  /** A line or two above the input, until the next thing is done. Not part of the session. */
  notify(text: string, tone?: Tone): void;
  /** A page of text to read, scrollable, closed with Escape. Lines are made safe and wrapped. */
  showText(title: string, lines: readonly string[]): void;
  /** Undefined when the user left without a choice. */
  pick<Value>(title: string, choices: readonly Choice<Value>[]): Promise<Value | undefined>;
  askLine(title: string, prefill?: string): Promise<string | undefined>;
  /** All open requests of all members, to choose which to answer. */
  showInbox(): void;
  /** True when it is known to have landed in a clipboard; false when it was only offered to the terminal. */
  copy(text: string): Promise<boolean>;
  /** Writes a new file in the session's directory or at an absolute path; resolves with where. */
  saveFile(name: string, text: string): Promise<string>;
  /** Writes the whole session into a new file; resolves with where, and what the person should know. */
  readonly exportSession?: ExportSession | undefined;
  /** What `roundtable doctor` would say. */
  doctor(): Promise<readonly string[]>;
  /** `stop` interrupts first and waits. */
  quit(how: "detach" | "stop"): void;
  requestRender(): void;
}

export type ExportSession = (
  sessionId: string,
  options: { readonly format: "markdown" | "html" | "jsonl"; readonly file?: string; readonly redact: boolean },
) => Promise<{ readonly where: string; readonly remarks: readonly string[] }>;
