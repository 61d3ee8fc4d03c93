/**
 * A recorded session on the screen of the live app, at any of its events: the same fold, log and header, with replay
 * controls in place of the draft. Read-only.
 */
import { ProcessTerminal, type Terminal, TuiAltScreen } from "@earendil-works/pi-tui";
import { type Clock, systemClock } from "../../kit/clock.ts";
import { formatCount, withEllipsis } from "../../kit/text/format.ts";
import { terminalSafeLine } from "../../kit/text/terminal-safe.ts";
import { isRunning, Player, Recording, REPLAY_EVENTS_MAX, type Transcript } from "../../transcript/index.ts";
import { createRowsComponent } from "../app/chrome/chrome-rows.ts";
import { formatSearchState } from "../app/chrome/format.ts";
import { Notes } from "../app/chrome/notes.ts";
import { createKeyListener } from "../app/key-listener.ts";
import { endReading, readingActions, type ReadingScreen, search } from "../app/reading-actions.ts";
import { copyToClipboard } from "../app/screen/copy-to-clipboard.ts";
import { OverlayController, ScreenDialogs } from "../app/screen/dialogs.ts";
import { PanelStack } from "../app/screen/panel-stack.ts";
import { FRAME_MS } from "../app/screen/frames.ts";
import { createLayout } from "../app/screen/layout.ts";
import { Preferences } from "../app/screen/preferences.ts";
import { guardTerminal, suspend } from "../app/screen/terminal-guard.ts";
import { TerminalHold } from "../app/screen/terminal-hold.ts";
import { type WatchedTerminal, watchTerminal } from "../app/screen/watched-terminal.ts";
import { ONLINE } from "../app/session/conversation.ts";
import { useKeymapInLibrary } from "../keys/keymap.ts";
import { readKeysFile } from "../keys/parse-keymap.ts";
import { createLogView } from "../log/create-log-view.ts";
import type { LogView } from "../log/log-view.ts";
import { selectWithoutBars } from "../log/selection.ts";
import { loadHighlighter } from "../markdown/highlight.ts";
import type { ViewSettings } from "../panels/panel.ts";
import { createReplayKeys, replayBarRows, replayKeyHelp, replayWorkingRow } from "./replay-controls.ts";
import type { ReplayOptions } from "./replay-lines.ts";

const WHEEL_ROWS = 3;

const TITLE_CHARS_MAX = 80;

const BACKGROUND_ANSWER_MS = 10_000;

export class ReplayScreen implements ReadingScreen {
  readonly tui: TuiAltScreen;
  readonly log: LogView;
  readonly #options: ReplayOptions;
  readonly #keys: ReturnType<typeof readKeysFile>;
  readonly #clock: Clock;
  readonly #terminal: WatchedTerminal;
  readonly #hold: TerminalHold;
  readonly #chosen: Preferences;
  readonly #notes: Notes;
  readonly #panels: PanelStack;
  readonly #overlays: OverlayController;
  readonly #dialogs: ScreenDialogs;
  readonly #recording: Recording;
  readonly #over = Promise.withResolvers<void>();
  #player: Player | undefined;
  #shown: { readonly step: number; readonly transcript: Transcript } | undefined;

  constructor(options: ReplayOptions, terminal: Terminal, clock: Clock = systemClock) {
    this.#options = options;
    this.#keys = readKeysFile(options.keysFile);
    this.#clock = clock;
    this.#recording = new Recording(options.sessionId);
    this.#chosen = new Preferences({
      ...options,
      saveSetting: async () => {},
      onTheme: (theme) => {
        this.log.setTheme(theme);
        this.tui.invalidate();
        this.#hold.requestRender(theme.isAscii);
      },
      onView: (view) => this.log.setSettings(view),
      onSetting: () => {},
      onError: (error) => this.#over.reject(error),
    });
    const { mouse, copyOnSelect } = this.#chosen.settings;
    this.#terminal = watchTerminal(terminal, {
      hasMouse: mouse,
      env: options.env,
      isAscii: () => this.#chosen.theme.isAscii,
    });
    this.tui = new TuiAltScreen(this.#terminal, true, undefined, {
      wheelScrollLines: WHEEL_ROWS,
      mouse: false,
      copySelection: async (text) =>
        (await this.copy(text)) || "Copied. If nothing arrives, your terminal blocks clipboard access.",
    });
    this.tui.setCopyOnSelect(copyOnSelect);
    selectWithoutBars(this.tui, () => this.#chosen.theme);
    this.#hold = new TerminalHold(this.tui);
    this.#notes = new Notes(clock, () => this.#hold.requestRender());
    this.log = this.#createLog();
    this.#panels = new PanelStack(this.tui, () => null);
    this.#overlays = new OverlayController(this.#panels);
    this.#dialogs = new ScreenDialogs(this.#overlays, this.#surface());
    this.#layOut();
    // May reject before anyone awaits it; `run` reports it.
    this.#over.promise.catch(() => {});
  }

  #createLog(): LogView {
    return createLogView({
      theme: this.#chosen.theme,
      settings: this.view,
      now: () => this.#now,
      requestRender: () => this.#hold.requestRender(),
      // Everything is in memory.
      loadPage: () => {},
      rowsMax: () => this.#terminal.rows,
      // A replay looks as the session did, also where its keys do nothing.
      keyOf: (action) => this.#keys.keymap.hint(action),
    });
  }

  #surface() {
    const chosen = this.#chosen;
    return {
      tui: this.tui,
      get theme() {
        return chosen.theme;
      },
    };
  }

  #layOut(): void {
    const bar = createRowsComponent((width) =>
      replayBarRows({ theme: this.#chosen.theme, player: this.#player, readCount: this.#recording.length }, width),
    );
    const layout = createLayout({
      log: this.log.component,
      prompt: bar,
      panels: this.#panels,
      notes: this.#notes,
      working: (facts, width) => replayWorkingRow({ ...facts, player: this.#player }, width),
      facts: () => ({
        theme: this.#chosen.theme,
        transcript: this.transcript,
        connection: ONLINE,
        newMembers: [],
        now: this.#now,
        unseen: this.log.unseenCount,
        search: formatSearchState(this.log.searchState),
      }),
    });
    this.tui.setLayoutRoot(layout);
    const isCovered = () => this.#panels.isOpen;
    this.tui.addInputListener(
      createReplayKeys(() => ({
        player: this.#player,
        scrollBy: (rows) => this.log.scrollBy(rows),
        goToSeq: () => void this.#goToSeq(),
        search: () => void search(this),
        help: () => this.#dialogs.showText("Keys of a replay", helpLines()),
        endReading: () => endReading(this),
        leave: () => this.#over.resolve(),
        isCovered,
      })),
    );
    const { keymap, problems } = this.#keys;
    useKeymapInLibrary(keymap);
    this.tui.addInputListener(
      createKeyListener(keymap, readingActions(this), () => (isCovered() ? "overlay" : "nothing")),
    );
    for (const problem of [...problems, ...this.#chosen.problems]) this.notify(problem);
  }

  /** Resolves when the user has left and the terminal is restored. */
  async run(): Promise<void> {
    const { signal } = this.#options;
    const guard = guardTerminal(this.#hold, {
      die: (error) => this.#over.reject(error),
      isInForeground: this.#options.isInForeground,
    });
    const leave = () => this.#over.resolve();
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      this.#hold.resume();
      void this.#begin().catch((error: unknown) => this.#over.reject(error));
      await this.#over.promise;
    } finally {
      signal.removeEventListener("abort", leave);
      this.#player?.pause();
      this.#hold.restore();
      guard.release();
    }
  }

  async #begin(): Promise<void> {
    void this.#askBackground();
    const { events, speed, note } = this.#options;
    if (note !== undefined) this.notify(note);
    for await (const batch of events) {
      this.#recording.add(batch.slice(0, REPLAY_EVENTS_MAX - this.#recording.length));
      this.#hold.requestRender();
      if (this.#recording.length >= REPLAY_EVENTS_MAX) {
        this.notify(`Only the first ${formatCount(REPLAY_EVENTS_MAX)} events are shown; use --until to stop earlier.`);
        break;
      }
      // Handles keys while a long session is read.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const player = new Player({
      recording: this.#recording,
      onChange: ({ step }) => this.#show(step),
      nextFrame: (draw) => this.#clock.after(FRAME_MS, () => draw(this.#clock.monotonic())),
      ...(speed === 0 ? {} : { speed }),
    });
    this.#player = player;
    player.goTo(speed === 0 ? player.length : 0);
    if (speed !== 0) player.play();
    void loadHighlighter().then(() => this.#hold.requestRender());
  }

  async #askBackground(): Promise<void> {
    const background = await this.tui.queryTerminalBackgroundColor({ timeoutMs: BACKGROUND_ANSWER_MS });
    if (background !== undefined) this.#chosen.setTerminalFacts({ background });
  }

  #show(step: number): void {
    const before = this.#shown;
    if (before?.step !== step) {
      const transcript = this.#recording.transcriptAt(step);
      // Seeking backwards voids everything drawn.
      if (before !== undefined && step < before.step) this.log.show(undefined);
      if (before?.transcript.head.title !== transcript.head.title) this.#setTitle(transcript);
      this.#shown = { step, transcript };
      this.log.show(transcript);
    }
    this.#hold.requestRender();
  }

  #setTitle({ head }: Transcript): void {
    this.#terminal.setTitle(`replay of ${shortTitle(head.title)} · roundtable`);
  }

  /** Time of the recording, so that ages and waits are as they were. */
  get #now(): number {
    const player = this.#player;
    const transcript = this.#shown?.transcript;
    if (player === undefined || transcript === undefined) return 0;
    const { step, ms } = player.state;
    const ts = player.eventAt(step)?.ts ?? 0;
    return ts + (isRunning(transcript.head) ? Math.max(0, ms - player.timeline.timeAt(step)) : 0);
  }

  async #goToSeq(): Promise<void> {
    const player = this.#player;
    if (player === undefined) return;
    player.pause();
    const given = await this.askLine(`Go to which event, 0 to ${player.lastSeq}?`);
    if (given === undefined || given.trim() === "") return;
    if (!/^\d{1,15}$/.test(given.trim())) return this.notify(`"${given}" is not a number.`);
    player.goToSeq(Number(given));
  }

  // The port for reading-actions.ts.

  get transcript(): Transcript | undefined {
    return this.#shown?.transcript;
  }

  get view(): ViewSettings {
    return this.#chosen.view;
  }

  setView(change: Partial<ViewSettings>): void {
    this.#chosen.setView(change);
    this.#hold.requestRender();
  }

  suspend(): void {
    this.#player?.pause();
    suspend();
  }

  readonly copy = (text: string): Promise<boolean> => copyToClipboard(text, this.#options, this.#terminal);

  notify(text: string): void {
    this.#notes.add(text);
  }

  readonly askLine = (title: string, prefill?: string) => this.#dialogs.askLine(title, prefill);
}

function shortTitle(title: string): string {
  const safe = terminalSafeLine(title);
  return withEllipsis(safe, TITLE_CHARS_MAX);
}

function helpLines(): string[] {
  const longest = Math.max(...replayKeyHelp.map(({ keys }) => keys.length));
  return replayKeyHelp.map(({ keys, does }) => `${keys.padEnd(longest)}  ${does}`);
}

/** Runs the replay from the first frame to the end. */
export async function runReplayScreen(options: ReplayOptions): Promise<void> {
  await new ReplayScreen(options, new ProcessTerminal()).run();
}
