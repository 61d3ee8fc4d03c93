/**
 * Sent and cleared texts of all sessions, and the position in them. The draft in progress is the newest position: it
 * and any edited entry are unchanged when the user returns to them.
 */
import type { HistoryStore } from "./prompt.ts";

const ENTRIES_MAX = 10_000;
const ENTRIES_CHARS_MAX = 16 * 1024 * 1024;

export class InputHistory {
  readonly #store: HistoryStore;
  #entries: string[] = [];
  #chars = 0;
  /** Undefined at the draft in progress. */
  #at: number | undefined;
  #draft = "";
  readonly #changed = new Map<number, string>();

  constructor(store: HistoryStore) {
    this.#store = store;
  }

  /** Stored entries precede those of this session. An unreadable store counts as empty. */
  async load(): Promise<void> {
    const before = await this.#store.load().catch(() => []);
    if (this.#at !== undefined) this.#at += before.length;
    const mine = this.#entries;
    this.#entries = [...before, ...mine];
    this.#chars += before.reduce((sum, entry) => sum + entry.length, 0);
    this.#trim();
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  get isWalking(): boolean {
    return this.#at !== undefined;
  }

  /** The draft in progress while walking the history; undefined otherwise. */
  get heldDraft(): string | undefined {
    return this.#at === undefined ? undefined : this.#draft;
  }

  /** The shown entry as it was sent; undefined at the draft. */
  get shownEntry(): string | undefined {
    return this.#at === undefined ? undefined : this.#entries[this.#at];
  }

  /** Ignores blank texts and repeats of the newest entry. */
  add(text: string): void {
    if (text.trim() === "" || this.#entries.at(-1) === text) return;
    this.#entries.push(text);
    this.#chars += text.length;
    this.#store.add(text);
    this.#trim();
  }

  /** The entry before the shown one; `current` is the text of the box. Undefined at the oldest. */
  older(current: string): string | undefined {
    const next = (this.#at ?? this.#entries.length) - 1;
    if (next < 0) return undefined;
    this.#leave(current);
    this.#at = next;
    return this.#changed.get(next) ?? this.#entries[next];
  }

  newer(current: string): string | undefined {
    if (this.#at === undefined) return undefined;
    this.#leave(current);
    const next = this.#at + 1;
    if (next >= this.#entries.length) {
      this.#at = undefined;
      return this.#draft;
    }
    this.#at = next;
    return this.#changed.get(next) ?? this.#entries[next];
  }

  /** Returns to the draft that was held. */
  stopWalking(): string {
    const draft = this.#at === undefined ? "" : this.#draft;
    this.#at = undefined;
    this.#draft = "";
    this.#changed.clear();
    return draft;
  }

  #leave(current: string): void {
    if (this.#at === undefined) this.#draft = current;
    else if (current !== this.#entries[this.#at]) this.#changed.set(this.#at, current);
    else this.#changed.delete(this.#at);
  }

  #trim(): void {
    // Positions would move under a user who is walking the history.
    if (this.#at !== undefined) return;
    while (this.#entries.length > ENTRIES_MAX || (this.#chars > ENTRIES_CHARS_MAX && this.#entries.length > 1)) {
      this.#chars -= this.#entries.shift()?.length ?? 0;
    }
  }
}
