/**
 * Keeps the draft of the session that is shown. What was typed is with the store at most SAVE_AFTER_MS later, also
 * while the user goes on typing. A session's stored draft is never overwritten before it has been read.
 */
import type { Clock } from "../../kit/clock.ts";
import type { Draft, DraftStore } from "./prompt.ts";

export const SAVE_AFTER_MS = 250;
const NO_DRAFT: Draft = { text: "", pastes: [] };

interface Seat {
  sessionId: string | undefined;
  /** Settles when the stored draft is known. */
  readonly stored: Promise<Draft>;
  isRead: boolean;
}

export class DraftAutosave {
  readonly #store: DraftStore;
  readonly #clock: Clock;
  readonly #current: () => Draft;
  #seat: Seat | undefined;
  #cancel: (() => void) | undefined;

  constructor(store: DraftStore, clock: Clock, current: () => Draft) {
    this.#store = store;
    this.#clock = clock;
    this.#current = current;
  }

  /** False until the first session was opened: what is typed before is kept nowhere but in the box. */
  get hasSeat(): boolean {
    return this.#seat !== undefined;
  }

  /** Something in the box has changed. */
  changed(): void {
    this.#cancel ??= this.#clock.after(SAVE_AFTER_MS, () => {
      this.#cancel = undefined;
      this.#saveNow();
    });
  }

  /** Saves what waits, now. */
  flush(): void {
    if (this.#cancel === undefined) return;
    this.#stopWaiting();
    this.#saveNow();
  }

  /** Puts the draft away for the session before; resolves with the one of the next, unless yet another was opened. */
  async open(sessionId: string | undefined): Promise<Draft | undefined> {
    this.#leave();
    const stored = this.#store.load(sessionId).catch(() => NO_DRAFT);
    const seat: Seat = { sessionId, stored, isRead: false };
    this.#seat = seat;
    const draft = await stored;
    seat.isRead = true;
    return this.#seat === seat ? draft : undefined;
  }

  /** The new session has got its id: its draft goes with it. */
  adopt(sessionId: string): void {
    const seat = this.#seat;
    if (seat === undefined || seat.sessionId === sessionId) return;
    const before = seat.sessionId;
    seat.sessionId = sessionId;
    if (seat.isRead) this.#save(sessionId, this.#current());
    else this.changed();
    this.#save(before, NO_DRAFT);
  }

  #leave(): void {
    this.#stopWaiting();
    const seat = this.#seat;
    if (seat === undefined) return;
    const draft = this.#current();
    if (seat.isRead) this.#save(seat.sessionId, draft);
    else if (draft.text !== "")
      void seat.stored.then((stored) => this.#save(seat.sessionId, joinDrafts(stored, draft)));
  }

  #saveNow(): void {
    const seat = this.#seat;
    if (seat === undefined) return;
    // Not read yet: the typed text must not take the place of a draft that nobody has seen.
    if (seat.isRead) this.#save(seat.sessionId, this.#current());
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

/** A stored draft, and what was typed before it was there. */
export function joinDrafts(stored: Draft, typed: Draft): Draft {
  if (typed.text === "" || stored.text === typed.text) return stored;
  if (stored.text === "") return typed;
  const before = `${stored.text}\n`;
  const moved = typed.pastes.map(([start, end]) => [start + before.length, end + before.length] as const);
  return { text: before + typed.text, pastes: [...stored.pastes, ...moved] };
}
