/** Handlers for the keys of the screen. */
import type { Clock } from "../../kit/clock.ts";
import { asMessage, parseCommandLine } from "../../kit/text/command-line.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { Prompt } from "../input/prompt.ts";
import type { AppContext } from "./app-context.ts";
import { failureActions } from "./failure-actions.ts";
import { isWelcoming } from "./create-components.ts";
import type { ActionHandlers } from "./key-listener.ts";
import { openFocused } from "./open-focused.ts";
import { endReading, readingActions } from "./reading-actions.ts";
import { showKeys } from "./screen/show-overlays.ts";
import { interruptTurns, pullBack } from "./session/sending.ts";

/** A second Ctrl+C or Escape within this time counts as a repeat. */
const AGAIN_MS = 2_000;

export function actionsOf(app: AppContext): ActionHandlers {
  const stopping = new Stopping(app.clock);
  const run = (line: string): void => void runCommandLine(app, line).catch((error: unknown) => app.fail(error));
  const isBoxEmpty = () => app.prompt.text === "" && !app.prompt.isSearching;
  const reading = readingActions(app);
  const failure = failureActions(app, run);
  return {
    ...reading,
    ...failure,
    "open-work": () => openFocused(app),
    "copy-focused": () => failure["copy-focused"]?.() || reading["copy-focused"]?.(),
    interrupt: () => escape(app, stopping, () => run("/rewind")),
    "clear-or-quit": () => ctrlC(app, stopping),
    "quit-on-empty": () => (app.prompt.text === "" ? app.quit("detach") : false),
    "log-start-on-empty": () => (isBoxEmpty() ? app.log.toStart() : false),
    "log-end-on-empty": () => (isBoxEmpty() ? app.log.toEnd() : false),
    help: () => (isBoxEmpty() ? showKeys(app, () => run("/keys")) : false),
    "question-1": () => isBoxEmpty() && offerQuestion(app, 0),
    "question-2": () => isBoxEmpty() && offerQuestion(app, 1),
    "question-3": () => isBoxEmpty() && offerQuestion(app, 2),
    "interrupt-all": () => void app.interrupt("all").catch((error: unknown) => app.fail(error)),
    recipients: () => {
      app.addressing.cycle(app.transcript);
      app.requestRender();
    },
    mode: () => void switchMode(app).catch((error: unknown) => app.fail(error)),
    "history-search": () => app.prompt.searchHistory(),
    "external-editor": () => void editExternally(app.prompt, (text) => app.editText(text)),
    inbox: () => app.requests.openNext() || app.showInbox(),
    sessions: () => run("/sessions"),
    "retry-focused": () => {
      const member = isBoxEmpty() ? app.log.focused?.member : undefined;
      return member !== undefined && run(`/retry ${member}`);
    },
    members: () => run("/members"),
    "pull-back": () => void pullBack(app, app.transcript?.head.queue.at(-1)).catch((error: unknown) => app.fail(error)),
  };
}

/** Puts a question of the first screen into the box; false when there is none. */
function offerQuestion(app: AppContext, at: number): boolean {
  const question = isWelcoming(app) ? app.repository.welcome?.questions[at] : undefined;
  if (question === undefined) return false;
  app.prompt.replaceText(asMessage(question.text));
  return true;
}

/** Closes the open popup, else interrupts; never quits. A second Escape with nothing to close or stop rewinds. */
function escape(app: AppContext, stopping: Stopping, rewind: () => void): void {
  if (app.prompt.closePopup()) return stopping.escapeUsed();
  if (app.leaving.isWaiting) return app.leaving.hurry();
  if (endReading(app)) return stopping.escapeUsed();
  if (app.conversation.isRunning || app.conversation.underWay !== undefined) {
    stopping.escapeUsed();
    void stopTurns(app, stopping).catch((error: unknown) => app.fail(error));
    return;
  }
  if (parseCommandLine(app.prompt.text).kind === "command") return app.prompt.putAway();
  if (app.prompt.text !== "" || app.transcript?.head.latestUser === undefined) return;
  switch (stopping.idleEscape()) {
    case "hint":
      return app.notify("Press Esc again to rewind.");
    case "rewind":
      return rewind();
    case "nothing":
  }
}

/** Interrupts the turns of this screen, and those of other clients once they were named to the user. */
async function stopTurns(app: AppContext, stopping: Stopping): Promise<void> {
  // A message that was just sent is stopped too.
  if (!app.conversation.isRunning) await app.conversation.underWay;
  const turns = Object.keys(app.transcript?.head.openTurns ?? {});
  stopping.named(await interruptTurns(app, stopping.escapeScope(turns)));
}

function ctrlC(app: AppContext, stopping: Stopping): void {
  if (app.prompt.closePopup()) return;
  if (app.leaving.isWaiting) return app.leaving.hurry();
  const turns = Object.keys(app.transcript?.head.openTurns ?? {});
  switch (stopping.ctrlC({ hasDraft: app.prompt.text !== "", turns })) {
    case "put-away-draft":
      app.prompt.putAway();
      return app.notify(`Draft cleared. ${app.theme.glyph("up")} brings it back.`);
    case "interrupt":
      void app.interrupt("own").catch((error: unknown) => app.fail(error));
      return;
    case "warn":
      return app.notify("Press Ctrl+C again to leave.");
    case "quit":
      return app.quit("detach");
  }
}

/** Toggles between broadcast and sequential. */
async function switchMode(app: AppContext): Promise<void> {
  const mode = app.transcript?.head.settings?.mode === "sequential" ? "broadcast" : "sequential";
  const ack = await app.command({ type: "set_settings", settings: { mode } });
  const description = mode === "broadcast" ? "all members answer at once" : "members answer one after the other";
  app.notify(ack.ok ? `Mode ${mode}: ${description}.` : ack.error.message, ack.ok ? "ok" : "ask");
}

/**
 * State behind Escape and Ctrl+C. Escape never quits; a repeat with nothing to stop rewinds. Ctrl+C clears the draft
 * first, then interrupts, and quits only on a repeat.
 */
interface StoppingFacts {
  readonly hasDraft: boolean;
  /** Ids of running turns. */
  readonly turns: readonly string[];
}

type IdleEscape = "nothing" | "hint" | "rewind";

type CtrlC = "put-away-draft" | "interrupt" | "warn" | "quit";

export class Stopping {
  readonly #clock: Clock;
  #warnedAt = -Infinity;
  #hintedAt = -Infinity;
  #usedAt = -Infinity;
  /** Turns that were already interrupted; any other turn belongs to a later run. */
  #interrupted: ReadonlySet<string> = new Set();

  /** Turns that the user was told were started elsewhere. */
  #named: ReadonlySet<string> = new Set();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Escape closed or stopped something: repeats shortly after it must not rewind. */
  escapeUsed(): void {
    this.#usedAt = this.#clock.monotonic();
    this.#hintedAt = -Infinity;
  }

  /** `all` once the turns of others were named to the user. */
  escapeScope(turns: readonly string[]): "own" | "all" {
    return turns.some((turnId) => this.#named.has(turnId)) ? "all" : "own";
  }

  /** Remembers turns that were reported as started by another client. */
  named(turns: readonly string[]): void {
    this.#named = new Set(turns);
  }

  /** Escape with an empty draft and nothing to close or stop. */
  idleEscape(): IdleEscape {
    const now = this.#clock.monotonic();
    if (now - this.#usedAt < AGAIN_MS) return "nothing";
    const isAgain = now - this.#hintedAt < AGAIN_MS;
    this.#hintedAt = isAgain ? -Infinity : now;
    return isAgain ? "rewind" : "hint";
  }

  ctrlC({ hasDraft, turns }: StoppingFacts): CtrlC {
    if (hasDraft) return "put-away-draft";
    const isAgain = this.#clock.monotonic() - this.#warnedAt < AGAIN_MS;
    if (turns.some((turnId) => !this.#interrupted.has(turnId))) {
      this.#interrupted = new Set(turns);
      this.#warnedAt = this.#clock.monotonic();
      return "interrupt";
    }
    if (isAgain) return "quit";
    this.#warnedAt = this.#clock.monotonic();
    return "warn";
  }
}

// The draft in the user's own editor.

/**
 * `run` resolves with the saved text, undefined when the user quit without saving. Errors of `run` leave the draft as
 * it is.
 */
export async function editExternally(
  prompt: Prompt,
  run: (text: string) => Promise<string | undefined>,
): Promise<void> {
  const before = prompt.text;
  const edited = await run(before);
  if (edited === undefined) return;
  const text = asWritten(edited, before);
  // The draft was replaced meanwhile: the replaced text goes into the history.
  if (prompt.text === before) prompt.replaceText(text);
  else prompt.setText(text);
}

/** Drops the final newline that editors add. */
function asWritten(edited: string, before: string): string {
  const text = edited.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  return text.endsWith("\n") && !before.endsWith("\n") ? text.slice(0, -1) : text;
}
