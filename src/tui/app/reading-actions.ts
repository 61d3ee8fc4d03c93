/** Keys for reading a conversation, live or recorded: scroll, select, search, copy, expand. */
import type { TuiAltScreen } from "@earendil-works/pi-tui";
import { isQuietTurn, loadedMessagesBackward, type ShownMessage, type Transcript } from "../../transcript/index.ts";
import { clipboardAdvice, codeBlocks, copyText } from "../log/copy-text.ts";
import type { LogView } from "../log/log-view.ts";
import type { ViewSettings } from "../panels/panel.ts";
import type { ActionHandlers } from "./key-listener.ts";

export interface ReadingScreen {
  readonly tui: Pick<TuiAltScreen, "requestRender">;
  readonly log: LogView;
  /** What is typed; absent on a screen without a box. */
  readonly prompt?: { readonly text: string; readonly isSearching: boolean };
  readonly view: ViewSettings;
  setView(change: Partial<ViewSettings>): void;
  readonly transcript: Transcript | undefined;
  suspend(): void;
  /** True when the text is known to be in a clipboard. */
  copy(text: string): Promise<boolean>;
  notify(text: string): void;
  askLine(title: string, prefill?: string): Promise<string | undefined>;
}

const THINKING = { dim: "folded", folded: "hidden", hidden: "dim" } as const;

export function readingActions(screen: ReadingScreen): ActionHandlers {
  return {
    ...focusActions(screen),
    "previous-answer": () => screen.log.jumpToAnswer("previous"),
    "next-answer": () => screen.log.jumpToAnswer("next"),
    suspend: () => screen.suspend(),
    redraw: () => screen.tui.requestRender(true),
    "expand-tools": () => screen.setView({ isExpanded: !screen.view.isExpanded }),
    "toggle-selected": () => screen.log.toggleSelected(),
    thinking: () => screen.setView({ thinking: THINKING[screen.view.thinking] }),
    "page-up": () => screen.log.pageUp(),
    "page-down": () => screen.log.pageDown(),
    "log-start": () => screen.log.toStart(),
    "log-end": () => screen.log.toEnd(),
    "previous-user-message": () => screen.log.jumpToUser("previous"),
    "next-user-message": () => screen.log.jumpToUser("next"),
    "select-previous": () => screen.log.select("previous"),
    "select-next": () => screen.log.select("next"),
    "copy-message": () => void copy(screen, (message) => copyText(message), "the message"),
    "copy-code": () => void copy(screen, (message) => codeBlocks(message).at(-1), "the code block"),
    search: () => void search(screen),
    "search-next": () => (screen.log.searchState === undefined ? false : screen.log.searchNext("next")),
    "search-previous": () => (screen.log.searchState === undefined ? false : screen.log.searchNext("previous")),
  };
}

/** Keys of the member that has the focus; with text in the box they belong to the text. */
function focusActions(screen: ReadingScreen): ActionHandlers {
  const { log, prompt } = screen;
  const isBoxEmpty = () => prompt === undefined || (prompt.text === "" && !prompt.isSearching);
  const whileFocused = (run: () => unknown) => () => {
    if (!isBoxEmpty() || log.focused === undefined) return false;
    run();
    return true;
  };
  const isMovable = () => isBoxEmpty() && (log.focused !== undefined || log.view.shown === "focus");
  return {
    "focus-next": () => isBoxEmpty() && log.moveFocus("next"),
    "focus-left": () => isMovable() && log.moveFocus("previous", { isStep: true }),
    "focus-right": () => isMovable() && log.moveFocus("next", { isStep: true }),
    "focus-up": whileFocused(() => log.scrollFocused(-1)),
    "focus-down": whileFocused(() => log.scrollFocused(1)),
    widen: whileFocused(() => log.widenFocused()),
    "open-work": whileFocused(() => log.toggleFocused()),
    "copy-focused": whileFocused(() => void copy(screen, (message) => copyText(message), "the answer", log.focused)),
  };
}

/** Ends the search, else clears the focus or the selection; false when there is nothing to end. */
export function endReading({ log }: ReadingScreen): boolean {
  if (log.searchState !== undefined) log.endSearch();
  else if (log.focused !== undefined) log.clearFocus();
  else if (log.selected !== undefined) log.clearSelection();
  else return false;
  return true;
}

export async function search(screen: ReadingScreen): Promise<void> {
  const query = await screen.askLine("Search in this session", screen.log.searchState?.query ?? "");
  if (query === undefined || query === "") return;
  screen.log.search(query);
}

async function copy(
  screen: ReadingScreen,
  textOf: (message: ShownMessage) => string | undefined,
  what: string,
  given?: ShownMessage,
): Promise<void> {
  const message = given ?? screen.log.selected ?? newestSpoken(screen);
  const text = message === undefined ? undefined : textOf(message);
  if (text === undefined || text === "") return screen.notify(`Nothing to copy: ${what} is empty.`);
  const hasLanded = await screen.copy(text);
  screen.notify(hasLanded ? `Copied ${what}.` : `Copied ${what}. ${clipboardAdvice(text)}`);
}

/** The last user message, or turn with content. */
function newestSpoken({ transcript }: ReadingScreen): ShownMessage | undefined {
  if (transcript === undefined) return undefined;
  return loadedMessagesBackward(transcript).find(
    (message) => message.kind === "user" || (message.kind === "turn" && !isQuietTurn(message)),
  );
}
