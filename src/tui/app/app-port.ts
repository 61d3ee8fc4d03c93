/**
 * What commands and overlays may do with the app: each goes to the part that does it. The parts are made and wired
 * together in `App`.
 */
import type { TuiAltScreen } from "@earendil-works/pi-tui";
import type { CommandBody, ConnectionState, PlannedSession } from "../../client/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { asMessage } from "../../kit/text/command-line.ts";
import type { Ack, SessionSummary } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import { type CommandDeps, type SessionsToPick, UsageError } from "../commands/command.ts";
import type { Prompt } from "../input/prompt.ts";
import type { KeyHelp, Keymap } from "../keys/keymap.ts";
import type { LogView } from "../log/log-view.ts";
import type { OverlaySurface } from "../overlays/overlay-surface.ts";
import type { ViewSettings } from "../panels/panel.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import type { AppContext } from "./app-context.ts";
import type { Notes } from "./chrome/notes.ts";
import { sessionCentreOf } from "./create-components.ts";
import type { ScreenOptions } from "./options.ts";
import type { RequestController } from "./requests/request-controller.ts";
import type { AppTerminal } from "./screen/app-terminal.ts";
import type { OverlayController, ScreenDialogs } from "./screen/dialogs.ts";
import type { PanelStack } from "./screen/panel-stack.ts";
import type { Preferences } from "./screen/preferences.ts";
import { type ScreenSettings, type SettingName, THEMES } from "./screen/settings.ts";
import {
  showChanges,
  showInbox,
  showMembers,
  showPermissions,
  showQueue,
  showSearch,
  showSettings,
  showSubagent,
} from "./screen/show-overlays.ts";
import type { Addressing } from "./session/addressing.ts";
import type { AttachedFiles } from "./session/attached-files.ts";
import { openSession } from "./session/connect-and-open.ts";
import type { Conversation } from "./session/conversation.ts";
import { formatError } from "./session/format-outcome.ts";
import type { Leaving } from "./session/leaving.ts";
import type { Repository } from "./session/repository.ts";
import { interruptTurns, sendMessage } from "./session/sending.ts";

export abstract class AppPort implements AppContext {
  abstract readonly options: ScreenOptions;
  abstract readonly keymap: Keymap;
  abstract readonly keysPath: string;
  abstract readonly clock: Clock;
  abstract readonly tui: TuiAltScreen;
  abstract readonly conversation: Conversation;
  abstract readonly log: LogView;
  abstract readonly prompt: Prompt;
  abstract readonly attached: AttachedFiles;
  abstract readonly surface: OverlaySurface;
  abstract readonly panels: PanelStack;
  abstract readonly overlays: OverlayController;
  abstract readonly requests: RequestController;
  abstract readonly leaving: Leaving;
  abstract readonly addressing: Addressing;
  abstract readonly repository: Repository;
  abstract readonly closed: AbortSignal;
  protected abstract readonly terminal: AppTerminal;
  protected abstract readonly dialogs: ScreenDialogs;
  protected abstract readonly notes: Notes;
  protected abstract readonly chosen: Preferences;
  readonly themes = THEMES;

  abstract suspend(): void;

  fail(error: unknown): undefined {
    const tone: Tone = error instanceof UsageError ? "ask" : "bad";
    this.notify(formatError(error), tone);
    return undefined;
  }

  get theme(): Theme {
    return this.chosen.theme;
  }

  get chosenTheme(): string {
    return this.settings.theme;
  }

  readonly setTheme = (name: string): void => this.set("theme", name);

  get view(): ViewSettings {
    return this.chosen.view;
  }

  setView(change: Partial<ViewSettings>): void {
    this.chosen.setView(change);
    this.requestRender();
  }

  get settings(): ScreenSettings {
    return this.chosen.settings;
  }

  set<Name extends SettingName>(name: Name, value: ScreenSettings[Name]): void {
    this.chosen.set(name, value);
    this.requestRender();
  }

  get keys(): readonly KeyHelp[] {
    return this.keymap.describe();
  }

  get now(): number {
    return this.clock.now();
  }

  get sessionId(): string | undefined {
    return this.conversation.sessionId;
  }

  get planned(): PlannedSession | undefined {
    return this.conversation.planned;
  }

  get transcript(): Transcript | undefined {
    return this.conversation.transcript;
  }
  get connection(): ConnectionState {
    return this.conversation.connection;
  }

  readonly command = (body: CommandBody): Promise<Ack> => this.conversation.command(body);

  readonly send = (text: string, how: "send" | "queue"): Promise<void> => sendMessage(this, text, how);

  readonly interrupt = async (scope: "own" | "all"): Promise<void> => void (await interruptTurns(this, scope));

  readonly sessions = (): Promise<readonly SessionSummary[]> => this.conversation.sessions();

  readonly deleteSession = (sessionId: string): Promise<void> => this.conversation.deleteSession(sessionId);

  readonly openSession = (sessionId: string | undefined): Promise<void> => openSession(this, sessionId);

  readonly ping = () => this.conversation.ping();

  readonly notify = (text: string, tone?: Tone): void => this.notes.add(text, tone);
  readonly clearNotes = (): void => this.notes.clear();
  readonly withdraw = (text: string): void => this.notes.remove(text);

  readonly showText = (title: string, lines: readonly string[]): void => this.dialogs.showText(title, lines);
  readonly showDiff = (title: string, lines: readonly string[]): void => this.dialogs.showDiff(title, lines);
  readonly showOutput: CommandDeps["showOutput"] = (title, source) => this.dialogs.showOutput(title, source);
  readonly showMembers = () => showMembers(this);
  readonly showPermissions: CommandDeps["showPermissions"] = (page) => showPermissions(this, page);
  readonly showQueue = () => showQueue(this);
  readonly showSettings = () => showSettings(this);
  readonly showSearch = (query: string) => showSearch(this, query);
  readonly showSubagent = (turnId: string) => showSubagent(this, turnId);

  readonly confirm = (title: string, message: string) => this.dialogs.confirm(title, message);

  readonly pickSession = (list: SessionsToPick) => this.dialogs.pickSession(sessionCentreOf(this, list));

  readonly pickModel: NonNullable<CommandDeps["pickModel"]> = (options) => this.dialogs.pickModel(options);
  readonly showChanges: NonNullable<CommandDeps["showChanges"]> = (sets) => showChanges(this, sets);
  readonly arrange: NonNullable<CommandDeps["arrange"]> = (view) => this.set("view", view);

  readonly setShared = (id: string, isShared: boolean) => this.options.setShared?.(id, isShared);
  readonly offerDraft = (text: string): void => this.prompt.setText(asMessage(text));

  readonly loadAll = () => this.conversation.loadAll();

  readonly pick: CommandDeps["pick"] = (title, choices, options = {}) => this.dialogs.pick(title, choices, options);

  readonly askLine = (title: string, prefill?: string) => this.dialogs.askLine(title, prefill);

  readonly showInbox = () => showInbox(this);

  readonly copy = (text: string): Promise<boolean> => this.terminal.copy(text);

  readonly saveFile = (name: string, text: string) => this.options.saveFile(name, text);

  readonly candidateMembers = () => this.options.candidateMembers();

  get runShell() {
    return this.options.runShell;
  }

  get readText() {
    return this.options.readText;
  }

  get seenAs() {
    return this.conversation.seenAs;
  }

  get exportSession() {
    return this.options.exportSession;
  }

  readonly doctor = () => this.options.doctor();

  editText(text: string): Promise<string | undefined> {
    return this.terminal.editText(text).catch((error: unknown) => this.fail(error));
  }

  async openFile(path: string, line?: number): Promise<void> {
    await this.terminal.editFile(path, line).catch((error: unknown) => this.fail(error));
  }

  readonly quit = (how: "detach" | "stop"): void => this.leaving.ask(how);

  readonly requestRender = (): void => this.terminal.hold.requestRender();
}
