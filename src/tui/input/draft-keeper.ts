/**
 * Keeps the draft of the session that is shown. What was typed is with the store at most SAVE_AFTER_MS later, also
 * while the user goes on typing. A session's stored draft is never overwritten before it has been read.
 */
import type { Clock } from "../../kit/clock.ts";
import type { DraftStore } from "./prompt.ts";

export const SAVE_AFTER_MS = 250;

interface Seat {
  sessionId: string | undefined;
  /** Settles when the stored draft is known. */
  readonly stored: Promise<string>;
  isRead: boolean;
}

export class DraftKeeper {
  readonly #store: DraftStore;
  readonly #clock: Clock;
  readonly #current: () => string;
  #seat: Seat | undefined;
  #cancel: (() => void) | undefined;

  constructor(store: DraftStore, clock: Clock, current: () => string) {
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
  async open(sessionId: string | undefined): Promise<string | undefined> {
    this.#leave();
    const stored = this.#store.load(sessionId).catch(() => "");
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
    if (seat.isRead) this.#store.save(sessionId, this.#current());
    else this.changed();
    this.#store.save(before, "");
  }

  #leave(): void {
    this.#stopWaiting();
    const seat = this.#seat;
    if (seat === undefined) return;
    const text = this.#current();
    if (seat.isRead) this.#store.save(seat.sessionId, text);
    else if (text !== "") void seat.stored.then((draft) => this.#store.save(seat.sessionId, joinDrafts(draft, text)));
  }

  #saveNow(): void {
    const seat = this.#seat;
    if (seat === undefined) return;
    // Not read yet: the typed text must not take the place of a draft that nobody has seen.
    if (seat.isRead) this.#store.save(seat.sessionId, this.#current());
    else this.changed();
  }

  #stopWaiting(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** A stored draft, and what was typed before it was there. */
export function joinDrafts(stored: string, typed: string): string {
  if (stored === "" || typed === "") return stored + typed;
  return stored === typed ? stored : `${stored}\n${typed}`;
}
