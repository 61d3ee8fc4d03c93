/** What a command or an overlay may do with its screen. */
import type { CommandBody, ConnectionState, PlannedSession } from "../../../client/index.ts";
import type { Ack, SeenAs, SessionSummary } from "../../../protocol/index.ts";
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
  /** One of `themes`: "auto" where the terminal decides. */
  readonly chosenTheme: string;
  setTheme(name: string): void;
  readonly view: ViewSettings;
  setView(change: Partial<ViewSettings>): void;
  readonly log: LogView;
  readonly prompt: Prompt;
  readonly keys: readonly KeyHelp[];
  /** The file in which they are changed; absent where they cannot be. */
  readonly keysPath?: string;
  readonly now: number;

  /** Undefined until the first message of a new session. */
  readonly sessionId: string | undefined;
  /** The session that starts with the next message; undefined until the configuration has been read. */
  readonly planned: PlannedSession | undefined;
  /** Undefined until the session is loaded. */
  readonly transcript: Transcript | undefined;
  readonly connection: ConnectionState;
  /**
   * Sends a command to the shown session, or changes the planned one. A rejection is returned, not thrown.
   */
  command(body: CommandBody): Promise<Ack>;
  send(text: string, how: "send" | "queue"): Promise<void>;
  interrupt(scope: "own" | "all"): Promise<void>;
  sessions(): Promise<readonly SessionSummary[]>;
  /** Shows another session; undefined for a new one, which starts with its first message. */
  openSession(sessionId: string | undefined): Promise<void>;
  /** Moves it to the trash. Rejects with the reason. */
  deleteSession(sessionId: string): Promise<void>;
  /** Round-trip time in milliseconds. */
  ping(): Promise<number>;

  /** Shows a notice above the input until the next action. Not part of the session. */
  notify(text: string, tone?: Tone): void;
  /** Shows a scrollable page of text, closed with Escape. Lines are sanitised and wrapped. */
  showText(title: string, lines: readonly string[]): void;
  /** Undefined when nothing was chosen. */
  pick<Value>(title: string, choices: readonly Choice<Value>[]): Promise<Value | undefined>;
  askLine(title: string, prefill?: string): Promise<string | undefined>;
  /** Lists the open requests of all members. */
  showInbox(): void;
  /** True when the text is known to be in a clipboard; false when it was only offered to the terminal. */
  copy(text: string): Promise<boolean>;
  /** As whom the session is read on a team's server; undefined until that is known. */
  readonly seenAs?: SeenAs | undefined;
  /** Writes a new file in the session's directory or at an absolute path; resolves with its path. */
  saveFile(name: string, text: string): Promise<string>;
  /** Writes the whole session to a new file; resolves with its path and remarks for the user. */
  readonly exportSession?: ExportSession | undefined;
  /** Output of `roundtable doctor`. */
  doctor(): Promise<readonly string[]>;
  /** `stop` interrupts all turns first and waits. */
  quit(how: "detach" | "stop"): void;
  requestRender(): void;
}

export type ExportSession = (
  sessionId: string,
  options: { readonly format: "markdown" | "html" | "jsonl"; readonly file?: string; readonly redact: boolean },
) => Promise<{ readonly where: string; readonly remarks: readonly string[] }>;
