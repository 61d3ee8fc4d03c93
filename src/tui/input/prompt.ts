/** Interface of the input: draft, history and completions. */
import type { Component, Focusable, TUI } from "@earendil-works/pi-tui";
import type { Clock } from "../../kit/clock.ts";
import type { Keymap } from "../keys/keymap.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import type { Theme } from "../theme/theme.ts";

export interface Completion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface CommandHint {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly usage: string;
  readonly summary: string;
}

export interface CompletionSource {
  /** Members first, with their kind or state as description. */
  members(): readonly Completion[];
  /** Names relative to the session's directory. */
  files(query: string, signal: AbortSignal): Promise<readonly string[]>;
  commands(): readonly CommandHint[];
  /** `prefix` is everything between the command and the cursor; a value replaces it. */
  commandArguments(name: string, prefix: string): Promise<readonly Completion[]>;
}

/** Lines typed in any session, oldest first. */
export interface HistoryStore {
  load(): Promise<readonly string[]>;
  add(text: string): void;
}

/** Start and end of a pasted block. */
export type PasteSpan = readonly [start: number, end: number];

/** The full text of the box and the positions of pasted blocks in it. */
export interface Draft {
  readonly text: string;
  /** Sorted, not overlapping. */
  readonly pastes: readonly PasteSpan[];
}

/** One draft per session, saved soon after every change, so that a crash loses at most the last keys. */
export interface DraftStore {
  load(sessionId: string | undefined): Promise<Draft>;
  save(sessionId: string | undefined, text: string, pastes?: readonly PasteSpan[]): void;
  /** Resolves when everything is on disk. */
  flush(): Promise<void>;
}

export interface Prompt {
  readonly component: Component & Focusable;
  /** With pasted blocks expanded. */
  readonly text: string;
  /** Text from elsewhere, such as an agent. A draft in progress goes into the history first. */
  setText(text: string): void;
  /** An edit of the draft made elsewhere by the user; undo restores the old text. */
  replaceText(text: string): void;
  /** At the cursor. */
  insert(text: string): void;
  /** The list of completions is open, so Escape is its key. */
  readonly isCompleting: boolean;
  /** What the list of completions shows; undefined while it is closed. */
  readonly menu: CompletionMenu | undefined;
  /** The history is being searched, so Escape is its key. */
  readonly isSearching: boolean;
  /** Closes the list or the search; false when neither was open. */
  closePopup(): boolean;
  setTheme(theme: Theme): void;
  /** Loads the draft of another session and saves the current one. */
  openSession(sessionId: string | undefined): Promise<void>;
  /** Assigns the id of a session that was just created. */
  adoptSession(sessionId: string): void;
  /** Moves the draft to the history. */
  putAway(): void;
  /** Ctrl+R: searches the history; called again, finds an older match. */
  searchHistory(): void;
  /** Saves the draft; resolves when it is on disk. */
  flush(): Promise<void>;
}

export interface PromptOptions {
  readonly tui: TUI;
  readonly theme: Theme;
  readonly keymap: Keymap;
  readonly completions: CompletionSource;
  readonly history: HistoryStore;
  readonly drafts: DraftStore;
  readonly clock?: Clock;
  /** Called once per text, which is then in the history. Never blank. */
  onSubmit(text: string, how: "send" | "queue"): void;
  /** Enter in an empty box. */
  onBlank?(): void;
  /** The rule above the box, painted, exactly this wide. Pasted blocks of the draft are given as markers. */
  rule?(text: string, width: number): string;
  /** Whether there is room for the rule below the box. */
  hasLowerRule?(): boolean;
  /** The draft has changed, or the search in the history has ended. */
  onChange?(): void;
  isRunning(): boolean;
  /** Shown dim in an empty box. */
  placeholder?(): string;
  /** False while something else has the focus. */
  hasFocus?(): boolean;
  /** Shows a notice about something the box could not do. */
  notify?(text: string): void;
}
