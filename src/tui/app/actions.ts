/** What each key of the screen does. */
import { parseCommandLine } from "../../kit/text/command-line.ts";
import { editExternally } from "../input/external-editor.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { App } from "./app.ts";
import type { ActionHandlers } from "./key-listener.ts";
import { pullBack } from "./session/pull-back.ts";
import { endReading, readingActions } from "./reading-actions.ts";
import { Stopping } from "./session/stopping.ts";
import { interruptTurns } from "./session/send-and-interrupt.ts";

export function actionsOf(app: App): ActionHandlers {
  const stopping = new Stopping(app.clock);
  const run = (line: string) => void runCommandLine(app, line).catch((error: unknown) => app.fail(error));
  const isBoxEmpty = () => app.prompt.text === "" && !app.prompt.isSearching;
  return {
    ...readingActions(app),
    interrupt: () => escape(app, stopping, () => run("/rewind")),
    "clear-or-quit": () => ctrlC(app, stopping),
    "quit-on-empty": () => (app.prompt.text === "" ? app.quit("detach") : false),
    "log-start-on-empty": () => (isBoxEmpty() ? app.log.toStart() : false),
    "log-end-on-empty": () => (isBoxEmpty() ? app.log.toEnd() : false),
    help: () => (isBoxEmpty() ? run("/keys") : false),
    "interrupt-all": () => void app.interrupt("all").catch((error: unknown) => app.fail(error)),
    mode: () => void switchMode(app).catch((error: unknown) => app.fail(error)),
    "history-search": () => app.prompt.searchHistory(),
    "external-editor": () => void editExternally(app.prompt, (text) => app.editText(text)),
    inbox: () => app.showInbox(),
    members: () => run("/members"),
    "pull-back": () => void pullBack(app, app.transcript?.head.queue.at(-1)).catch((error: unknown) => app.fail(error)),
  };
}

/** Closes what is open, else interrupts; it never quits. Twice with nothing to close or to stop, it leads back. */
function escape(app: App, stopping: Stopping, rewind: () => void): void {
  if (app.prompt.closePopup()) return stopping.escapeUsed();
  if (app.leaving.isWaiting) return app.leaving.hurry();
  if (endReading(app)) return stopping.escapeUsed();
  if (app.conversation.isRunning) {
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

/** What this screen has started; what was named as started elsewhere, too. */
async function stopTurns(app: App, stopping: Stopping): Promise<void> {
  const turns = Object.keys(app.transcript?.head.openTurns ?? {});
  stopping.named(await interruptTurns(app, stopping.escapeScope(turns)));
}

function ctrlC(app: App, stopping: Stopping): void {
  if (app.prompt.closePopup()) return;
  if (app.leaving.isWaiting) return app.leaving.hurry();
  const turns = Object.keys(app.transcript?.head.openTurns ?? {});
  switch (stopping.ctrlC({ hasDraft: app.prompt.text !== "", turns })) {
    case "put-away-draft":
      app.prompt.putAway();
      return app.notify("Draft cleared. Up brings it back.");
    case "interrupt":
      void app.interrupt("own").catch((error: unknown) => app.fail(error));
      return;
    case "warn":
      return app.notify("Ctrl+C again quits.");
    case "quit":
      return app.quit("detach");
  }
}

/** All at once, or one after the other. */
async function switchMode(app: App): Promise<void> {
  const mode = app.transcript?.head.settings?.mode === "sequential" ? "broadcast" : "sequential";
  const ack = await app.command({ type: "set_settings", settings: { mode } });
  const description = mode === "broadcast" ? "all members answer at once" : "members answer one after the other";
  app.notify(ack.ok ? `Mode ${mode}: ${description}.` : ack.error.message, ack.ok ? "good" : "warn");
}
