/** What each key of the screen does. */
import { loadedMessagesBackward, type ShownMessage } from "../../transcript/index.ts";
import { codeBlocks, copyText } from "../log/copy-text.ts";
import { editExternally } from "../input/external-editor.ts";
import { runCommandLine } from "../commands/run-command.ts";
import type { App } from "./app.ts";
import type { ActionTable } from "./key-actions.ts";
import { pullBack } from "./pull-back.ts";
import { Stopping } from "./stopping.ts";

const THINKING = { dim: "folded", folded: "hidden", hidden: "dim" } as const;

export function actionsOf(app: App): ActionTable {
  const stopping = new Stopping(app.clock);
  const run = (line: string) => void runCommandLine(app, line).catch((error: unknown) => app.fail(error));
  return {
    interrupt: () => escape(app),
    "clear-or-quit": () => ctrlC(app, stopping),
    "quit-on-empty": () => (app.prompt.text === "" ? app.quit("detach") : false),
    suspend: () => app.suspend(),
    redraw: () => app.tui.requestRender(true),
    help: () => (app.prompt.text === "" && !app.prompt.isSearching ? run("/keys") : false),
    "interrupt-all": () => void app.interrupt("all").catch((error: unknown) => app.fail(error)),
    "expand-tools": () => app.setView({ isExpanded: !app.view.isExpanded }),
    mode: () => void switchMode(app).catch((error: unknown) => app.fail(error)),
    "toggle-selected": () => app.log.toggleSelected(),
    thinking: () => app.setView({ thinking: THINKING[app.view.thinking] }),
    "history-search": () => app.prompt.searchHistory(),
    "external-editor": () => void editExternally(app.prompt, (text) => app.editText(text)),
    "page-up": () => app.log.pageUp(),
    "page-down": () => app.log.pageDown(),
    "log-start": () => app.log.toStart(),
    "log-end": () => app.log.toEnd(),
    "previous-user-message": () => app.log.jumpToUser("previous"),
    "next-user-message": () => app.log.jumpToUser("next"),
    "select-previous": () => app.log.select("previous"),
    "select-next": () => app.log.select("next"),
    "copy-message": () => void copy(app, (message) => copyText(message), "the message"),
    "copy-code": () => void copy(app, (message) => codeBlocks(message).at(-1), "the code block"),
    search: () => void search(app),
    "search-next": () => (app.log.searchState === undefined ? false : app.log.searchNext("next")),
    "search-previous": () => (app.log.searchState === undefined ? false : app.log.searchNext("previous")),
    inbox: () => app.showInbox(),
    members: () => run("/members"),
    "pull-back": () => void pullBack(app, app.transcript?.head.queue.at(-1)).catch((error: unknown) => app.fail(error)),
  };
}

/** Closes what is open, else interrupts; it never quits. */
function escape(app: App): boolean | void {
  if (app.prompt.closePopup()) return;
  if (app.leaving.isWaiting) return app.quit("detach");
  if (app.log.searchState !== undefined) return app.log.endSearch();
  if (app.log.selected !== undefined) return app.log.clearSelection();
  if (app.conversation.isRunning) void app.interrupt("own").catch((error: unknown) => app.fail(error));
}

function ctrlC(app: App, stopping: Stopping): void {
  if (app.prompt.closePopup()) return;
  const { isRunning } = app.conversation;
  if (!isRunning) stopping.settled();
  switch (stopping.ctrlC({ hasDraft: app.prompt.text !== "", isRunning })) {
    case "put-away-draft":
      app.prompt.putAway();
      return app.say("The draft is in the history; Up brings it back.");
    case "interrupt":
      void app.interrupt("own").catch((error: unknown) => app.fail(error));
      return;
    case "warn":
      return app.say("Ctrl+C again quits.");
    case "quit":
      return app.quit("detach");
  }
}

async function copy(app: App, textOf: (message: ShownMessage) => string | undefined, what: string): Promise<void> {
  const message = app.log.selected ?? newestSpoken(app);
  const text = message === undefined ? undefined : textOf(message);
  if (text === undefined || text === "") return app.say(`There is nothing to copy: ${what} is empty.`);
  const hasLanded = await app.copy(text);
  app.say(
    hasLanded
      ? `Copied ${what}.`
      : `Offered ${what} to the terminal's clipboard; /save writes a file if it did not land.`,
  );
}

/** The last message that somebody wrote. */
function newestSpoken({ transcript }: App): ShownMessage | undefined {
  if (transcript === undefined) return undefined;
  return loadedMessagesBackward(transcript).find((message) => message.kind !== "notice");
}

async function search(app: App): Promise<void> {
  const query = await app.askLine("Search in this session", app.log.searchState?.query ?? "");
  if (query === undefined || query === "") return;
  app.log.search(query);
}

/** All at once, or one after the other. */
async function switchMode(app: App): Promise<void> {
  const mode = app.transcript?.head.settings?.mode === "sequential" ? "broadcast" : "sequential";
  const ack = await app.command({ type: "set_settings", settings: { mode } });
  const words = mode === "broadcast" ? "all members answer at once" : "members answer one after the other";
  app.say(ack.ok ? `Mode ${mode}: ${words}.` : ack.error.message, ack.ok ? "good" : "warn");
}
