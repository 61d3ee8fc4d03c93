/**
 * Saves the draft of the shown session at most SAVE_AFTER_MS after a change, also while the user keeps typing. A stored
 * draft is never overwritten before it has been read.
 */
import type { Clock } from "../../kit/clock.ts";
import type { Draft, DraftStore } from "./prompt.ts";

export const SAVE_AFTER_MS = 250;
const NO_DRAFT: Draft = { text: "", pastes: [] };

interface OpenSession {
  sessionId: string | undefined;
  /** Settles when the stored draft was read. */
  readonly stored: Promise<Draft>;
  isRead: boolean;
}

export class DraftAutosave {
  readonly #store: DraftStore;
  readonly #clock: Clock;
  readonly #current: () => Draft;
  #session: OpenSession | undefined;
  #cancel: (() => void) | undefined;

  constructor(store: DraftStore, clock: Clock, current: () => Draft) {
    this.#store = store;
    this.#clock = clock;
    this.#current = current;
  }

  /** False until the first session was opened; until then the draft is not stored. */
  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  changed(): void {
    this.#cancel ??= this.#clock.after(SAVE_AFTER_MS, () => {
      this.#cancel = undefined;
      this.#saveNow();
    });
  }

  /** Saves pending changes now. */
  flush(): void {
    if (this.#cancel === undefined) return;
    this.#stopWaiting();
    this.#saveNow();
  }

  /** Saves the draft of the previous session; resolves with that of the next, unless yet another was opened. */
  async open(sessionId: string | undefined): Promise<Draft | undefined> {
    this.#leave();
    const stored = this.#store.load(sessionId).catch(() => NO_DRAFT);
    const session: OpenSession = { sessionId, stored, isRead: false };
    this.#session = session;
    const draft = await stored;
    session.isRead = true;
    return this.#session === session ? draft : undefined;
  }

  /** Assigns the id of a session that was just created. */
  adopt(sessionId: string): void {
    const session = this.#session;
    if (session === undefined || session.sessionId === sessionId) return;
    const before = session.sessionId;
    session.sessionId = sessionId;
    if (session.isRead) this.#save(sessionId, this.#current());
    else this.changed();
    this.#save(before, NO_DRAFT);
  }

  #leave(): void {
    this.#stopWaiting();
    const session = this.#session;
    if (session === undefined) return;
    const draft = this.#current();
    if (session.isRead) this.#save(session.sessionId, draft);
    else if (draft.text !== "")
      void session.stored.then((stored) => this.#save(session.sessionId, joinDrafts(stored, draft)));
  }

  #saveNow(): void {
    const session = this.#session;
    if (session === undefined) return;
    // Not read yet: the typed text must not overwrite a stored draft.
    if (session.isRead) this.#save(session.sessionId, this.#current());
    else this.changed();
  }

  #save(sessionId: string | undefined, { text, pastes }: Draft): void {
    this.#store.save(sessionId, text, pastes);
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** The stored draft followed by what was typed before it was read. */
export function joinDrafts(stored: Draft, typed: Draft): Draft {
  if (typed.text === "" || stored.text === typed.text) return stored;
  if (stored.text === "") return typed;
  const before = `${stored.text}\n`;
  const moved = typed.pastes.map(([start, end]) => [start + before.length, end + before.length] as const);
  return { text: before + typed.text, pastes: [...stored.pastes, ...moved] };
}
