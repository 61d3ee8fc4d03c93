/**
 * What a server derives from the stored events of one session: its line in listings and its entries for the search.
 * Pure; continues from its saved form, or from the beginning when a fold of another version has saved it.
 */
import { EntryReader, type Entry, type ReadingState } from "../../host/index.ts";
import { SessionSummary, type Json, type SessionEvent } from "../../protocol/index.ts";
import { dropFrozenPages, empty, fold, fromSnapshot, summaryOf, toSnapshot } from "../../transcript/index.ts";
import type { Transcript } from "../../transcript/index.ts";
import { ENTRY_CHARS_MAX, storable } from "./search-text.ts";

export interface SavedView {
  readonly foldVersion: number;
  readonly frozenPages: number;
  readonly state: Json;
  readonly reading: ReadingState;
}

/** A call that has been open for more events than this is not read again for its streamed output. */
const REREAD_MAX = 10_000;

/** Of a title that a person gives; one that was longer is cut. */
const TITLE_CHARS_MAX = 200;
/** A long path and hundreds of members. */
const SUMMARY_CHARS_MAX = 16 * 1024;

export class SessionView {
  #transcript: Transcript;
  readonly #entries: EntryReader;
  /** Events after this seq have to be added next; some may be known, and are added for the text of open calls alone. */
  readonly readAfter: number;

  constructor(sessionId: string, saved?: SavedView) {
    const transcript = saved === undefined ? undefined : fromSnapshot(saved);
    this.#transcript = transcript ?? empty(sessionId);
    const reading = transcript === undefined ? undefined : saved?.reading;
    this.#entries = new EntryReader(reading);
    const { seq } = this.#transcript.head;
    const first = Math.min(seq, ...Object.values(reading?.calls ?? {}).map((call) => call - 1));
    this.readAfter = seq - first > REREAD_MAX ? seq : first;
  }

  get seq(): number {
    return this.#transcript.head.seq;
  }

  /**
   * A runner may ship anything as an event: what is no line of a listing must not spoil the listings of others, and every
   * node holds all of them.
   */
  get summary(): SessionSummary {
    const whole = storable(summaryOf(this.#transcript));
    const isSummary = SessionSummary.safeParse(whole).success;
    const summary = isSummary ? { ...whole, title: whole.title.slice(0, TITLE_CHARS_MAX).toWellFormed() } : whole;
    if (isSummary && JSON.stringify(summary).length <= SUMMARY_CHARS_MAX) return summary;
    return unreadableSummary({ sessionId: summary.sessionId, seq: this.seq });
  }

  get saved(): SavedView {
    const { foldVersion, frozenPages, state } = toSnapshot(this.#transcript);
    return { foldVersion, frozenPages, state, reading: this.#entries.state };
  }

  /** The entries of events that are new. An entry that `retracts` takes back the text of that event. */
  add(events: readonly SessionEvent[]): Entry[] {
    const { seq } = this;
    const entries = events.flatMap((event) => {
      const read = this.#entries.read(event);
      return event.seq > seq ? read : [];
    });
    this.#transcript = dropFrozenPages(fold(this.#transcript, events), 0);
    return entries.map((entry) => storable(Object.assign({}, entry, { text: entry.text.slice(0, ENTRY_CHARS_MAX) })));
  }
}

/** The line of a session whose events cannot be folded. */
export function unreadableSummary({ sessionId, seq }: Pick<SessionSummary, "sessionId" | "seq">): SessionSummary {
  const nothing = { title: "", cwd: "", members: [], messages: 0, turns: 0, createdTs: 0, updatedTs: 0 };
  return { sessionId, seq, ...nothing, archived: false, status: "idle", problem: "Its events cannot be read." };
}
