/**
 * The terminal app: draws one session and turns keys into commands. The first frame is drawn before there is a host, a
 * session or a member; every later frame renders the newest transcript. This is where the parts are wired together;
 * what commands and overlays may do with them is the port.
 */
import type { Terminal, TuiAltScreen } from "@earendil-works/pi-tui";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { asMessage } from "../../kit/text/command-line.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { Keymap } from "../keys/keymap.ts";
import { readKeysFile } from "../keys/parse-keymap.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import { type OverlaySurface, shortPath } from "../overlays/overlay-surface.ts";
import type { Prompt } from "../input/prompt.ts";
import type { LogView } from "../log/log-view.ts";
import type { Theme } from "../theme/theme.ts";
import { actionsOf } from "./actions.ts";
import { AppPort } from "./app-port.ts";
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
  createSurface,
} from "./create-components.ts";
import { ScreenFrames } from "./screen/frames.ts";
import type { ScreenOptions } from "./options.ts";
import { Repository } from "./session/repository.ts";
import { createScreenPrompt } from "./session/prompt.ts";
import { connectAndOpen } from "./session/connect-and-open.ts";
import { guardTerminal, suspend } from "./screen/terminal-guard.ts";

/** After a failure right at the start, wait for pending terminal replies; they would end up in the shell. */
const LATE_ANSWER_MS = 200;

export class App extends AppPort {
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
  protected readonly terminal: AppTerminal;
  protected readonly dialogs: ScreenDialogs;
  protected readonly notes: Notes;
  readonly #frames: ScreenFrames;
  readonly #over = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  readonly closed = this.#closing.signal;
  protected readonly chosen: Preferences;
  readonly #effects: TranscriptEffects;
  /** The last terminal query of the start; replies arrive in order. */
  #answered: Promise<void> = Promise.resolve();

  constructor(options: ScreenOptions, terminal: Terminal, clock: Clock = systemClock) {
    super();
    this.options = options;
    const { keymap, problems } = readKeysFile(options.keysFile);
    this.keymap = keymap;
    this.clock = clock;
    this.chosen = this.#createPreferences();
    this.#problems = [...problems, ...this.chosen.problems];
    this.terminal = new AppTerminal(terminal, {
      ...options,
      hasMouse: this.settings.mouse,
      isAscii: () => this.theme.isAscii,
      copyOnSelect: this.settings.copyOnSelect,
      onResume: () => this.requests.showAgain(this.transcript),
      onFacts: (facts) => this.chosen.setTerminalFacts(facts),
    });
    this.tui = this.terminal.tui;
    this.#frames = this.#createFrames();
    this.terminal.terminal.onFocus((isFocused) => isFocused && this.#frames.wake());
    this.notes = new Notes(clock, () => this.requestRender());
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
      terminal: this.terminal.terminal,
      env: options.env,
      onDraft: (text) => this.prompt.setText(asMessage(text)),
      mayNotify: () => this.settings.notifications,
    });
    this.surface = createSurface(this);
    this.keysPath = shortPath(this.surface, options.keysFile.path);
    this.panels = new PanelStack(this.tui, () => this.prompt.component);
    this.overlays = new OverlayController(this.panels);
    this.dialogs = new ScreenDialogs(this.overlays, this.surface);
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
        this.terminal.setMouse(mouse);
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
        if (this.terminal.hold.isActive) this.requests.show(transcript);
      },
      requestRender: () => this.requestRender(),
      renderNow: () => this.terminal.hold.renderNow(),
      isAway: () => this.terminal.terminal.isFocused === false,
      isStill: () => this.theme.spinner(0) === "",
    });
  }

  #createConversation(): Conversation {
    return new Conversation({
      ...this.options,
      clock: this.clock,
      onChange: () => this.#frames.change(),
      onError: (message) => this.notify(message, "bad"),
      onOver: (message) => this.withdraw(message),
      onBegun: (sessionId) => {
        this.attached.adopt(sessionId);
        this.prompt.adoptSession(sessionId);
      },
      onReturned: (sessionId) => void this.prompt.openSession(sessionId),
      onLost: (error) => this.#over.reject(error),
    });
  }

  #layOut(): void {
    this.tui.setLayoutRoot(createScreenLayout(this, this.notes));
    this.tui.setFocus(this.prompt.component);
    const covering = () => (this.requests.isOnTop ? "request" : this.panels.isOpen ? "overlay" : "nothing");
    this.tui.addInputListener(
      createKeyListener(this.keymap, actionsOf(this), covering, () => this.requests.reconsider()),
    );
  }

  /** Resolves when the user has left and the terminal is restored. Rejects when the host is lost. */
  async run(): Promise<void> {
    const { signal } = this.options;
    const guard = guardTerminal(this.terminal.hold, {
      die: (error) => this.#over.reject(error),
      isInForeground: this.options.isInForeground,
    });
    const leave = () => this.#over.resolve();
    signal.addEventListener("abort", leave);
    try {
      this.terminal.start();
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
      this.terminal.hold.restore();
      // A failing store has already shown its error.
      await Promise.allSettled([this.chosen.flush(), this.prompt.flush()]);
      this.conversation.close();
      guard.release();
    }
  }

  suspend(): void {
    suspend();
  }

  async #begin(): Promise<void> {
    for (const problem of this.#problems) this.notify(problem, "ask");
    this.#answered = this.terminal.askColours();
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
    this.notes.showLines(lines.flatMap((text) => text.trimEnd().split("\n")));
  }

  async #submit(text: string, how: "send" | "queue"): Promise<void> {
    this.notes.clear();
    try {
      if ((await runCommandLine(this, text)) === "ran") return;
      await this.send(text, how);
    } catch (error) {
      this.fail(error);
    }
  }

  #showTheme(theme: Theme): void {
    this.log.setTheme(theme);
    this.prompt.setTheme(theme);
    this.tui.invalidate();
    // Signs are replaced as they are written: what is on the screen already has the old ones.
    this.terminal.hold.requestRender(theme.isAscii);
  }
}
