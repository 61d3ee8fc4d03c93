/** The door of the input: a draft that is never lost, its history, and what completes it. */
import type { Component, Focusable } from "@earendil-works/pi-tui";
import type { Theme } from "../theme/theme.ts";

export interface Completion {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export interface CommandHint {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

export interface CompletionSource {
  /** Members first, with their kind or state as description. */
  members(): readonly Completion[];
  /** Names relative to the session's directory. */
  files(query: string, signal: AbortSignal): Promise<readonly string[]>;
  commands(): readonly CommandHint[];
  commandArguments(name: string, prefix: string): Promise<readonly Completion[]>;
}

/** Lines typed in any session, oldest first. */
export interface HistoryStore {
  load(): Promise<readonly string[]>;
  add(text: string): void;
}

/** One draft a session; written soon after every change, so a crash loses at most the last keys. */
export interface DraftStore {
  load(sessionId: string | undefined): Promise<string>;
  save(sessionId: string | undefined, text: string): void;
  /** Resolves when everything is on disk. */
  flush(): Promise<void>;
}

export interface Prompt {
  readonly component: Component & Focusable;
  /** With pasted blocks in full. */
  readonly text: string;
  setText(text: string): void;
  insert(text: string): void;
  readonly isCompleting: boolean;
  setTheme(theme: Theme): void;
  /** The draft of another session. What was in the box is kept for the one before. */
  openSession(sessionId: string | undefined): Promise<void>;
  /** Puts the draft into the history and empties the box. */
  putAway(): void;
  /** Ctrl+R: looks for older lines as the user types. */
  searchHistory(): void;
}
