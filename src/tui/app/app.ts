/**
 * The terminal app: draws one session and turns keys into commands. The first frame is drawn before there is a host, a
 * session or a member; every later frame renders the newest transcript. This is where the parts are wired together, and
 * a third of the file is the port that commands and overlays use.
 */
import type { Terminal, TuiAltScreen } from "@earendil-works/pi-tui";
import type { CommandBody, ConnectionState, PlannedSession } from "../../client/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { asMessage } from "../../kit/text/command-line.ts";
import type { Ack, SessionSummary } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import { type CommandDeps, type SessionsToPick, UsageError } from "../commands/command.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { KeyHelp, Keymap } from "../keys/keymap.ts";
import { readKeysFile } from "../keys/parse-keymap.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { type OverlaySurface, shortPath } from "../overlays/overlay-surface.ts";
import type { Prompt } from "../input/prompt.ts";
import type { LogView } from "../log/log-view.ts";
import type { ViewSettings } from "../panels/panel.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import type { AppContext } from "./app-context.ts";
import { actionsOf } from "./actions.ts";
import { Addressing } from "./session/addressing.ts";
import type { AttachedFiles } from "./session/attached-files.ts";
import { Conversation } from "./session/conversation.ts";
import { AppTerminal } from "./screen/app-terminal.ts";
import { createKeyListener } from "./key-listener.ts";
import type { Leaving } from "./session/leaving.ts";
import { Notes } from "./chrome/notes.ts";
import { TranscriptEffects } from "./screen/transcript-effects.ts";
import { OverlayController, ScreenDialogs } from "./screen/dialogs.ts";
import { PanelStack } from "./screen/panel-stack.ts";
import { Preferences } from "./screen/preferences.ts";
import type { RequestController } from "./requests/request-controller.ts";
import {
  createAttachedFiles,
  createLeaving,
  createRequestController,
  createScreenLayout,
  createScreenLog,
  sessionCentreOf,
  createSurface,
} from "./create-components.ts";
import { ScreenFrames } from "./screen/frames.ts";
import type { ScreenOptions } from "./options.ts";
import { Repository } from "./session/repository.ts";
import { createScreenPrompt } from "./session/prompt.ts";
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
import { formatError } from "./session/format-outcome.ts";
import { connectAndOpen, openSession } from "./session/connect-and-open.ts";
import { interruptTurns, sendMessage } from "./session/sending.ts";
import { guardTerminal, suspend } from "./screen/terminal-guard.ts";

/** After a failure right at the start, wait for pending terminal replies; they would end up in the shell. */
const LATE_ANSWER_MS = 200;

export class App implements AppContext {
  readonly options: ScreenOptions;
  readonly keymap: Keymap;
  readonly #problems: readonly string[];
  readonly clock: Clock;
  readonly tui: TuiAltScreen;
  readonly conversation: Conversation;
  readonly log: LogView;
  readonly prompt: Prompt;
  readonly attached: AttachedFiles;
  readonly surface: OverlaySurface;
  readonly keysPath: string;
  readonly panels: PanelStack;
  readonly overlays: OverlayController;
  readonly requests: RequestController;
  readonly leaving: Leaving;
  readonly addressing = new Addressing();
  readonly repository: Repository;
  readonly themes = THEMES;
  readonly #terminal: AppTerminal;
  readonly #dialogs: ScreenDialogs;
  readonly #notes: Notes;
  readonly #frames: ScreenFrames;
  readonly #over = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  readonly closed = this.#closing.signal;
  readonly #chosen: Preferences;
  readonly #effects: TranscriptEffects;
  /** The last terminal query of the start; replies arrive in order. */
  #answered: Promise<void> = Promise.resolve();

  constructor(options: ScreenOptions, terminal: Terminal, clock: Clock = systemClock) {
    this.options = options;
    const { keymap, problems } = readKeysFile(options.keysFile);
    this.keymap = keymap;
    this.clock = clock;
    this.#chosen = this.#createPreferences();
    this.#problems = [...problems, ...this.#chosen.problems];
    this.#terminal = new AppTerminal(terminal, {
      ...options,
      hasMouse: this.settings.mouse,
      isAscii: () => this.theme.isAscii,
      copyOnSelect: this.settings.copyOnSelect,
      onResume: () => this.requests.showAgain(this.transcript),
      onFacts: (facts) => this.#chosen.setTerminalFacts(facts),
    });
    this.tui = this.#terminal.tui;
    this.#frames = this.#createFrames();
    this.#terminal.terminal.onFocus((isFocused) => isFocused && this.#frames.wake());
    this.#notes = new Notes(clock, () => this.requestRender());
    this.conversation = this.#createConversation();
    this.repository = new Repository({
      ...options,
      conversation: () => this.conversation,
      onChange: () => this.requestRender(),
    });
    this.attached = createAttachedFiles(this);
    this.log = createScreenLog(this);
    this.prompt = createScreenPrompt(this, (text, how) => void this.#submit(text, how));
    this.#effects = new TranscriptEffects({
      terminal: this.#terminal.terminal,
      env: options.env,
      onDraft: (text) => this.prompt.setText(asMessage(text)),
      mayNotify: () => this.settings.notifications,
    });
    this.surface = createSurface(this);
    this.keysPath = shortPath(this.surface, options.keysFile.path);
    this.panels = new PanelStack(this.tui, () => this.prompt.component);
    this.overlays = new OverlayController(this.panels);
    this.#dialogs = new ScreenDialogs(this.overlays, this.surface);
    this.requests = createRequestController(this);
    this.leaving = createLeaving(this, () => this.#over.resolve());
    this.#layOut();
    // May reject before anyone awaits it; `run` reports it.
    this.#over.promise.catch(() => {});
  }

  #createPreferences(): Preferences {
    return new Preferences({
      ...this.options,
      onTheme: (theme) => this.#showTheme(theme),
      onView: (view) => this.log.setSettings(view),
      onSetting: ({ mouse, copyOnSelect }) => {
        this.#terminal.setMouse(mouse);
        this.tui.setCopyOnSelect(copyOnSelect);
      },
      onError: (error) => this.fail(error),
    });
  }

  #createFrames(): ScreenFrames {
    return new ScreenFrames({
      clock: this.clock,
      transcript: () => this.conversation.transcript,
      onPicture: (transcript) => {
        this.#effects.apply(transcript);
        this.repository.update();
        this.log.show(transcript);
        // A hidden request would use up its reading delay, and the next key would answer it.
        if (this.#terminal.hold.isActive) this.requests.show(transcript);
      },
      requestRender: () => this.requestRender(),
      renderNow: () => this.#terminal.hold.renderNow(),
      isAway: () => this.#terminal.terminal.isFocused === false,
      isStill: () => this.theme.spinner(0) === "",
    });
  }

  #createConversation(): Conversation {
    return new Conversation({
      ...this.options,
      onChange: () => this.#frames.change(),
      onError: (message) => this.notify(message, "bad"),
      onBegun: (sessionId) => {
        this.attached.adopt(sessionId);
        this.prompt.adoptSession(sessionId);
      },
      onReturned: (sessionId) => void this.prompt.openSession(sessionId),
      onLost: (error) => this.#over.reject(error),
    });
  }

  #layOut(): void {
    this.tui.setLayoutRoot(createScreenLayout(this, this.#notes));
    this.tui.setFocus(this.prompt.component);
    const isCovered = () => this.panels.isOpen;
    this.tui.addInputListener(
      createKeyListener(this.keymap, actionsOf(this), isCovered, () => this.requests.reconsider()),
    );
  }

  /** Resolves when the user has left and the terminal is restored. Rejects when the host is lost. */
  async run(): Promise<void> {
    const { signal } = this.options;
    const guard = guardTerminal(this.#terminal.hold, {
      die: (error) => this.#over.reject(error),
      isInForeground: this.options.isInForeground,
    });
    const leave = () => this.#over.resolve();
    signal.addEventListener("abort", leave);
    try {
      this.#terminal.start();
      // Draw the first frame before loading anything it does not need.
      await new Promise((resolve) => setImmediate(resolve));
      void this.#begin().catch((error: unknown) => this.#over.reject(error));
      await this.#over.promise;
    } catch (error) {
      await Promise.race([this.#answered, new Promise((resolve) => setTimeout(resolve, LATE_ANSWER_MS))]);
      throw error;
    } finally {
      signal.removeEventListener("abort", leave);
      this.overlays.close();
      this.#closing.abort();
      this.#frames.stop();
      this.#terminal.hold.restore();
      // A failing store has already shown its error.
      await Promise.allSettled([this.#chosen.flush(), this.prompt.flush()]);
      this.conversation.close();
      guard.release();
    }
  }

  readonly suspend = (): void => suspend();

  async #begin(): Promise<void> {
    for (const problem of this.#problems) this.notify(problem, "ask");
    this.#answered = this.#terminal.askColours();
    this.repository.update();
    try {
      await connectAndOpen(this, () => void this.#introduce().catch((error: unknown) => this.#over.reject(error)));
    } finally {
      // Loaded last: the conversation does not need it and would be delayed by it.
      void loadHighlighter().then(() => this.requestRender());
    }
  }

  async #introduce(): Promise<void> {
    const lines = await this.conversation.introduce();
    this.#notes.showLines(lines.flatMap((text) => text.trimEnd().split("\n")));
  }

  async #submit(text: string, how: "send" | "queue"): Promise<void> {
    this.#notes.clear();
    try {
      if ((await runCommandLine(this, text)) === "ran") return;
      await this.send(text, how);
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): undefined {
    const tone: Tone = error instanceof UsageError ? "ask" : "bad";
    this.notify(formatError(error), tone);
    return undefined;
  }

  // The port for commands and overlays: see screen/port.ts.

  get theme(): Theme {
    return this.#chosen.theme;
  }

  get chosenTheme(): string {
    return this.settings.theme;
  }

  readonly setTheme = (name: string): void => this.set("theme", name);

  #showTheme(theme: Theme): void {
    this.log.setTheme(theme);
    this.prompt.setTheme(theme);
    this.tui.invalidate();
    // Signs are replaced as they are written: what is on the screen already has the old ones.
    this.#terminal.hold.requestRender(theme.isAscii);
  }

  get view(): ViewSettings {
    return this.#chosen.view;
  }

  setView(change: Partial<ViewSettings>): void {
    this.#chosen.setView(change);
    this.requestRender();
  }

  get settings(): ScreenSettings {
    return this.#chosen.settings;
  }

  set<Name extends SettingName>(name: Name, value: ScreenSettings[Name]): void {
    this.#chosen.set(name, value);
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

  readonly notify = (text: string, tone?: Tone): void => this.#notes.add(text, tone);
  readonly clearNotes = (): void => this.#notes.clear();

  readonly showText = (title: string, lines: readonly string[]): void => this.#dialogs.showText(title, lines);
  readonly showDiff = (title: string, lines: readonly string[]): void => this.#dialogs.showDiff(title, lines);
  readonly showOutput: CommandDeps["showOutput"] = (title, source) => this.#dialogs.showOutput(title, source);
  readonly showMembers = () => showMembers(this);
  readonly showPermissions: CommandDeps["showPermissions"] = (page) => showPermissions(this, page);
  readonly showQueue = () => showQueue(this);
  readonly showSettings = () => showSettings(this);
  readonly showSearch = (query: string) => showSearch(this, query);
  readonly showSubagent = (turnId: string) => showSubagent(this, turnId);

  readonly confirm = (title: string, message: string) => this.#dialogs.confirm(title, message);

  readonly pickSession = (list: SessionsToPick) => this.#dialogs.pickSession(sessionCentreOf(this, list));

  readonly pickModel: NonNullable<CommandDeps["pickModel"]> = (options) => this.#dialogs.pickModel(options);
  readonly showChanges: NonNullable<CommandDeps["showChanges"]> = (sets) => showChanges(this, sets);
  readonly arrange: NonNullable<CommandDeps["arrange"]> = (view) => this.set("view", view);

  readonly setShared = (id: string, isShared: boolean) => this.options.setShared?.(id, isShared);
  readonly offerDraft = (text: string): void => this.prompt.setText(asMessage(text));

  readonly loadAll = () => this.conversation.loadAll();

  readonly pick: CommandDeps["pick"] = (title, choices, options = {}) => this.#dialogs.pick(title, choices, options);

  readonly askLine = (title: string, prefill?: string) => this.#dialogs.askLine(title, prefill);

  readonly showInbox = () => showInbox(this);

  readonly copy = (text: string): Promise<boolean> => this.#terminal.copy(text);

  readonly saveFile = (name: string, text: string) => this.options.saveFile(name, text);

  readonly candidateMembers = () => this.options.candidateMembers();

  get runShell() {
    return this.options.runShell;
  }

  get readText() {
    return this.options.readText;
  }

  get exportSession() {
    return this.options.exportSession;
  }

  readonly doctor = () => this.options.doctor();

  editText(text: string): Promise<string | undefined> {
    return this.#terminal.editText(text).catch((error: unknown) => this.fail(error));
  }

  async openFile(path: string, line?: number): Promise<void> {
    await this.#terminal.editFile(path, line).catch((error: unknown) => this.fail(error));
  }

  readonly quit = (how: "detach" | "stop"): void => this.leaving.ask(how);

  readonly requestRender = (): void => this.#terminal.hold.requestRender();
}
