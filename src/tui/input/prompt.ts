/** The door of the input: a draft that is never lost, its history, and what completes it. */
import type { Component, Focusable, TUI } from "@earendil-works/pi-tui";
import type { Clock } from "../../kit/clock.ts";
import type { Keymap } from "../keys/keymap.ts";
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
  /** `prefix` is everything between the command and the cursor; a value takes its place. */
  commandArguments(name: string, prefix: string): Promise<readonly Completion[]>;
}

/** Lines typed in any session, oldest first. */
export interface HistoryStore {
  load(): Promise<readonly string[]>;
  add(text: string): void;
}

/** Where a pasted block begins and ends in the text. */
export type PasteSpan = readonly [start: number, end: number];

/** A text of the box in full, and which parts of it are pasted blocks. */
export interface Draft {
  readonly text: string;
  /** In order, none over another. */
  readonly pastes: readonly PasteSpan[];
}

/** One draft a session; written soon after every change, so a crash loses at most the last keys. */
export interface DraftStore {
  load(sessionId: string | undefined): Promise<Draft>;
  save(sessionId: string | undefined, text: string, pastes?: readonly PasteSpan[]): void;
  /** Resolves when everything is on disk. */
  flush(): Promise<void>;
}

export interface Prompt {
  readonly component: Component & Focusable;
  /** With pasted blocks in full. */
  readonly text: string;
  /** Somebody else's text, an agent's for one. A draft in progress goes into the history first. */
  setText(text: string): void;
  /** The user's own change of the draft, made elsewhere; undo brings the old one back. */
  replaceText(text: string): void;
  /** At the cursor. */
  insert(text: string): void;
  /** The list of completions is open, so Escape is its key. */
  readonly isCompleting: boolean;
  /** The history is being searched, so Escape is its key. */
  readonly isSearching: boolean;
  /** Closes the list or the search; false when neither was open. */
  closePopup(): boolean;
  setTheme(theme: Theme): void;
  /** The draft of another session. What was in the box is kept for the one before. */
  openSession(sessionId: string | undefined): Promise<void>;
  /** The new session has got its id; the draft goes with it. */
  adoptSession(sessionId: string): void;
  /** Puts the draft into the history and empties the box. */
  putAway(): void;
  /** Ctrl+R: looks for older lines as the user types; called again, for an older one still. */
  searchHistory(): void;
  /** Saves the draft now; resolves when it is on disk. For the ways out. */
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
  /** Called once a text, which is then in the history and no longer in the box. Never blank. */
  onSubmit(text: string, how: "send" | "queue"): void;
  /** Enter in an empty box. */
  onBlank?(): void;
  /** Who would get this draft, shown on the rule above it; empty shows nothing. Pasted blocks are given as their marks. */
  recipients?(text: string): string;
  /** A key or a paste has changed the draft, and something stands in it. */
  onTyped?(): void;
  isRunning(): boolean;
  /** Shown dim in an empty box. */
  placeholder?(): string;
  /** A sentence for the user, about something that the box could not do. */
  notify?(text: string): void;
}
