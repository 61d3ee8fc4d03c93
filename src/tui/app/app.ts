/**
 * The terminal app: draws one session and turns keys into commands. The first frame is drawn before there is a host, a
 * session or a member; everything after it is a picture of the newest transcript.
 * Longer than other files because it is the one place where the parts meet: what it does itself is short, and a third of
 * it is the port that commands and overlays are given, a line or two for each wish.
 */
import { TuiAltScreen, type Terminal } from "@earendil-works/pi-tui";
import type { CommandBody, ConnectionState } from "../../client/index.ts";
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Ack, SessionSummary } from "../../protocol/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import { UsageError, type CommandScreen } from "../commands/command.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { Keymap } from "../keys/keymap.ts";
import { readKeysFile } from "../keys/read-keys-file.ts";
import { diffTone } from "../overlays/reading-rows.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import type { OverlaySurface } from "../overlays/overlay-surface.ts";
import { createPrompt } from "../input/create-prompt.ts";
import type { Prompt } from "../input/prompt.ts";
import { createLogView } from "../log/create-log-view.ts";
import type { LogView } from "../log/log-view.ts";
import type { ViewSettings } from "../panels/panel.ts";
import { themeNames } from "../theme/create-theme.ts";
import type { Theme, Tone } from "../theme/theme.ts";
import { actionsOf } from "./actions.ts";
import { Appearance } from "./appearance.ts";
import { completionsOf } from "./completions.ts";
import { Conversation, ONLINE } from "./conversation.ts";
import { createFramePace, frameMs, type FramePace } from "./frame-pace.ts";
import { createKeyListener } from "./key-actions.ts";
import { createLayout } from "./layout.ts";
import type { Leaving } from "./leaving.ts";
import { Notes } from "./notes.ts";
import { OutsideNews } from "./outside-news.ts";
import { OverlayDesk } from "./overlay-desk.ts";
import type { RequestDesk } from "./request-desk.ts";
import { ScreenDialogs } from "./screen-dialogs.ts";
import { createLeaving, createRequestDesk, createSurface } from "./screen-desks.ts";
import type { ScreenOptions } from "./screen-options.ts";
import { readScreenSettings, viewOf, type ScreenSettings, type SettingName } from "./screen-settings.ts";
import type { Choice, KeyHelp } from "./screen-port.ts";
import { searchWords } from "./search-words.ts";
import { faultWords } from "./sent-words.ts";
import { interruptTurns, sendMessage } from "./talking.ts";
import { guardTerminal, suspend } from "./terminal-guard.ts";
import { watchTerminal, type WatchedTerminal } from "./watched-terminal.ts";
import { showMembers, showQueue, showSettings } from "./table-overlays.ts";
import { SPINNER_MS } from "./working-line.ts";

const WHEEL_ROWS = 3;
/** Nothing waits for the answer, and over a slow link or during a slow start it comes late; until then it is dark. */
const BACKGROUND_ANSWER_MS = 10_000;

export class App implements CommandScreen {
  readonly options: ScreenOptions;
  readonly keymap: Keymap;
  readonly #problems: readonly string[];
  /** What was chosen, here or before. */
  #kept: ScreenSettings;
  readonly clock: Clock;
  readonly tui: TuiAltScreen;
  readonly conversation: Conversation;
  readonly log: LogView;
  readonly prompt: Prompt;
  readonly surface: OverlaySurface;
  readonly overlays: OverlayDesk;
  readonly requests: RequestDesk;
  readonly leaving: Leaving;
  readonly themes = themeNames;
  readonly #terminal: WatchedTerminal;
  readonly #dialogs: ScreenDialogs;
  readonly #notes: Notes;
  readonly #pace: FramePace;
  readonly #over = Promise.withResolvers<void>();
  readonly #look: Appearance;
  readonly #news: OutsideNews;
  #seated: readonly string[] = [];
  #shown: Transcript | undefined;
  #isStopped = true;
  #cancelSpinner: (() => void) | undefined;

  constructor(options: ScreenOptions, terminal: Terminal, clock: Clock = systemClock) {
    this.options = options;
    const { keymap, problems } = readKeysFile(options.keysFile);
    this.keymap = keymap;
    const read = readScreenSettings(options.settingsFile);
    this.#problems = [...problems, ...read.problems];
    this.#kept = read.settings;
    this.clock = clock;
    this.#look = new Appearance({
      wanted: options.theme ?? this.#kept.theme,
      view: viewOf(this.#kept),
      env: options.env,
      onTheme: (theme) => this.#showTheme(theme),
      onView: (view) => this.log.setSettings(view),
    });
    this.#terminal = watchTerminal(terminal, { hasMouse: this.#kept.mouse, env: options.env });
    this.tui = new TuiAltScreen(this.#terminal, true, undefined, {
      wheelScrollLines: WHEEL_ROWS,
      mouse: false,
      copySelection: async (text) => (await this.copy(text)) || "Offered to the terminal; not every terminal takes it",
    });
    this.#pace = createFramePace(
      clock,
      () => frameMs(options.env, this.#speaking),
      () => this.#draw(),
    );
    this.#notes = new Notes(clock, () => this.requestRender());
    this.conversation = this.#createConversation();
    this.log = createLogView({
      theme: this.theme,
      settings: this.view,
      now: () => clock.now(),
      requestRender: () => this.requestRender(),
      loadPage: (page) => this.conversation.loadPage(page),
      rowsMax: () => this.#terminal.rows,
    });
    this.prompt = this.#createPrompt();
    this.#news = new OutsideNews({
      terminal: this.#terminal,
      env: options.env,
      onDraft: (text) => this.prompt.setText(text),
      mayNotify: () => this.settings.notifications,
    });
    this.tui.setCopyOnSelect(this.#kept.copyOnSelect);
    this.surface = createSurface(this);
    this.overlays = new OverlayDesk(this.tui);
    this.#dialogs = new ScreenDialogs(this.overlays, this.surface);
    this.requests = createRequestDesk(this);
    this.leaving = createLeaving(this, () => this.#over.resolve());
    this.#layOut();
    // It may fail while nobody waits yet; `run` reports it.
    this.#over.promise.catch(() => {});
  }

  #createConversation(): Conversation {
    return new Conversation({
      ...this.options,
      onChange: () => {
        const isFirst = this.#shown === undefined && this.conversation.transcript !== undefined;
        if (isFirst) this.#pace.changeNow();
        else this.#pace.change();
      },
      onTrouble: (message) => this.say(message, "bad"),
      onBegun: (sessionId) => this.prompt.adoptSession(sessionId),
      onLost: (error) => this.#over.reject(error),
    });
  }

  #createPrompt(): Prompt {
    const { history, drafts } = this.options.stores((text) => this.say(text, "warn"));
    return createPrompt({
      tui: this.tui,
      theme: this.theme,
      keymap: this.keymap,
      clock: this.clock,
      completions: completionsOf(this, () => this.#seated),
      history,
      drafts,
      isRunning: () => this.conversation.isRunning,
      onSubmit: (text, how) => void this.#submit(text, how),
      placeholder: () => (this.sessionId === undefined ? "Ask everyone at the table …" : ""),
      say: (text) => this.say(text, "warn"),
    });
  }

  #layOut(): void {
    const layout = createLayout({
      log: this.log.component,
      prompt: this.prompt.component,
      notes: this.#notes,
      facts: () => ({
        theme: this.theme,
        transcript: this.transcript,
        connection: this.conversation.seat === undefined ? ONLINE : this.connection,
        place: this.conversation.seat?.place ?? "sitting down …",
        seated: this.#seated,
        now: this.now,
        unseen: this.log.unseenCount,
        requestsWaiting: this.requests.waitingCount,
        search: searchWords(this.log.searchState),
      }),
    });
    this.tui.setLayoutRoot(layout);
    this.tui.setFocus(this.prompt.component);
    const isCovered = () => this.tui.hasOverlay();
    this.tui.addInputListener(createKeyListener(this.keymap, actionsOf(this), isCovered));
  }

  /** Resolves when the user has left; the terminal is as it was. Rejects when the host is gone for good. */
  async run(): Promise<void> {
    const { signal } = this.options;
    const guard = guardTerminal({ restore: () => this.restore(), die: (error) => this.#over.reject(error) });
    const leave = () => this.#over.resolve();
    signal.addEventListener("abort", leave);
    try {
      this.resume();
      // The first frame is drawn before anything is loaded that is not needed for it.
      await new Promise((resolve) => setImmediate(resolve));
      void this.#begin().catch((error: unknown) => this.#over.reject(error));
      await this.#over.promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#pace.stop();
      this.#cancelSpinner?.();
      await this.prompt.flush().catch(() => {
        // The store has said so already, and the terminal must be put back all the same.
      });
      this.restore();
      this.conversation.close();
      guard.release();
    }
  }

  /** Takes the terminal. */
  resume(): void {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.tui.start();
    this.tui.requestRender(true);
  }

  /** Gives the terminal back as it was. May be called at any time. */
  restore(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.tui.stop({ preserveScreen: true });
  }

  suspend(): void {
    suspend({ restore: () => this.restore(), resume: () => this.resume() });
  }

  async #begin(): Promise<void> {
    for (const problem of this.#problems) this.say(problem, "warn");
    void this.#askBackground();
    try {
      await this.#sitDown();
    } finally {
      // Loaded last: neither is needed for the conversation, and each would hold it up for a moment.
      void loadHighlighter().then(() => this.requestRender());
    }
  }

  async #sitDown(): Promise<void> {
    const client = await this.conversation.sitDown();
    const { warning } = this.conversation.seat ?? {};
    if (warning !== undefined) this.say(warning, "warn");
    const choice = await this.options.choose(client);
    const chosen = "pick" in choice ? undefined : choice.sessionId;
    const opening = chosen === undefined ? Promise.resolve() : this.openSession(chosen);
    // Who would sit down is told once the session that there is has been asked for.
    void this.#introduce().catch((error: unknown) => this.#over.reject(error));
    await opening;
    if ("pick" in choice) await runCommandLine(this, "/sessions");
    // Leaving the list without a choice is a choice too: a new session.
    if (chosen === undefined && this.sessionId === undefined) await this.openSession(undefined);
  }

  async #introduce(): Promise<void> {
    const { seated, lines } = await this.options.introduce();
    this.#seated = seated;
    this.#notes.showLines(lines.flatMap((text) => text.trimEnd().split("\n")));
  }

  async #askBackground(): Promise<void> {
    const background = await this.tui.queryTerminalBackgroundColor({ timeoutMs: BACKGROUND_ANSWER_MS });
    if (background !== undefined) this.#look.setBackground(background);
  }

  /** One frame: everything that follows from the newest picture. */
  #draw(): void {
    const { transcript } = this.conversation;
    if (transcript !== this.#shown) {
      this.#news.tell(transcript);
      this.#shown = transcript;
      this.log.show(transcript);
      this.requests.show(transcript);
    }
    this.#spin();
    this.requestRender();
  }

  get #speaking(): number {
    return Object.keys(this.transcript?.head.openTurns ?? {}).length;
  }

  #spin(): void {
    if (!this.conversation.isRunning || this.#cancelSpinner !== undefined) return;
    this.#cancelSpinner = this.clock.after(SPINNER_MS, () => {
      this.#cancelSpinner = undefined;
      this.#pace.change();
    });
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
    const tone: Tone = error instanceof UsageError ? "warn" : "bad";
    this.say(faultWords(error), tone);
    return undefined;
  }

  // What commands and overlays may do: see screen-port.ts.

  get theme(): Theme {
    return this.#look.theme;
  }

  setTheme(name: string): void {
    this.set("theme", name);
  }

  #showTheme(theme: Theme): void {
    this.log.setTheme(theme);
    this.prompt.setTheme(theme);
    this.tui.invalidate();
    this.requestRender();
  }

  get view(): ViewSettings {
    return this.#look.view;
  }

  setView(change: Partial<ViewSettings>): void {
    this.#look.setView(change);
    const { thinking, isExpanded, hasTimes, isRaw } = this.view;
    this.#kept = { ...this.#kept, thinking, expanded: isExpanded, times: hasTimes, raw: isRaw };
    this.requestRender();
  }

  get settings(): ScreenSettings {
    return this.#kept;
  }

  /** Takes effect at once and holds for the next start too. */
  set<Name extends SettingName>(name: Name, value: ScreenSettings[Name]): void {
    this.#kept = { ...this.#kept, [name]: value };
    if (name === "theme") this.#look.setTheme(this.#kept.theme);
    if (name === "mouse") this.#terminal.setMouse(this.#kept.mouse);
    if (name === "copyOnSelect") this.tui.setCopyOnSelect(this.#kept.copyOnSelect);
    this.#look.setView(viewOf(this.#kept));
    this.options.saveSetting(name, value).catch((error: unknown) => this.fail(error));
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

  get transcript(): Transcript | undefined {
    return this.conversation.transcript;
  }

  get connection(): ConnectionState {
    return this.conversation.connection;
  }

  readonly command = (body: CommandBody): Promise<Ack> => this.conversation.command(body);

  readonly send = (text: string, how: "send" | "queue"): Promise<void> => sendMessage(this, text, how);

  readonly interrupt = (scope: "own" | "all"): Promise<void> => interruptTurns(this, scope);

  readonly sessions = (): Promise<readonly SessionSummary[]> => this.conversation.sessions();

  async openSession(sessionId: string | undefined): Promise<void> {
    await Promise.all([this.conversation.open(sessionId), this.prompt.openSession(sessionId)]);
  }

  readonly ping = () => this.conversation.ping();

  say(text: string, tone?: Tone): void {
    this.#notes.say(text, tone);
  }

  showText(title: string, lines: readonly string[]): void {
    this.#dialogs.showText(title, lines);
  }

  showDiff(title: string, lines: readonly string[]): void {
    this.#dialogs.showText(title, lines, diffTone);
  }

  readonly showMembers = () => showMembers(this);
  readonly showQueue = () => showQueue(this);
  readonly showSettings = () => showSettings(this);

  readonly confirm = (title: string, message: string) => this.#dialogs.confirm(title, message);

  readonly loadAll = () => this.conversation.loadAll();

  pick<Value>(
    title: string,
    choices: readonly Choice<Value>[],
    options: { readonly at?: number } = {},
  ): Promise<Value | undefined> {
    return this.#dialogs.pick(title, choices, options);
  }

  readonly askLine = (title: string, prefill?: string) => this.#dialogs.askLine(title, prefill);

  showInbox(): void {
    const now = () => this.now;
    const open = () => this.transcript?.head.requests ?? [];
    if (open().length === 0) return this.say("Nobody is waiting for an answer.");
    this.#dialogs.showInbox(open, now, (requestId) => this.requests.pick(requestId));
  }

  async copy(text: string): Promise<boolean> {
    if (await this.options.copyText(text)) return true;
    this.#terminal.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    return false;
  }

  readonly saveFile = (name: string, text: string) => this.options.saveFile(name, text);

  readonly doctor = () => this.options.doctor();

  /** The editor has the terminal to itself meanwhile. */
  async editText(text: string): Promise<string | undefined> {
    this.restore();
    try {
      return await this.options.editText(text);
    } catch (error) {
      this.fail(error);
      return undefined;
    } finally {
      this.resume();
    }
  }

  quit(how: "detach" | "stop"): void {
    this.leaving.ask(how);
  }

  requestRender(): void {
    if (!this.#isStopped) this.tui.requestRender();
  }
}
