/**
 * Copies single events: unchanged, with references rewritten, or dropped when they are about the session's own
 * lifecycle (queue, native sessions, restarts).
 */

import type { EventDraft, EventOf, SessionEvent } from "../../protocol/index.ts";
import { withConsent } from "../approvals/consents.ts";

/** Event id to the id of its copy. */
export type IdMap = ReadonlyMap<string, string>;

export interface CopyContext {
  readonly seqs: SeqMap;
  readonly compactions: IdMap;
  /** Members whose context is in the log and is copied with it. */
  readonly inLog: ReadonlySet<string>;
}

const LEFT_BEHIND: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  ...(["session_created", "session_renamed", "session_archived", "session_resume", "session_clear"] as const),
  // Current settings are in the copy's first event.
  ...(["settings_changed", "queue_updated", "member_session", "mirrored", "recovered", "read_only"] as const),
  ...(["council_paused", "council_resumed"] as const),
  // Session grants are not copied, so their revocation is not either.
  "permission_revoked",
  ...(["ui_status", "ui_widget", "ui_working", "ui_set_title", "ui_set_editor_text"] as const),
]);

/** What remains of the time before `session_clear`: membership. */
const MEMBERSHIP_EVENTS: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "member_joined",
  "member_left",
  "member_muted",
  "member_unmuted",
  "member_models",
  "member_guard",
  "model_switched",
  "effort_switched",
]);

export function isMembershipEvent(event: SessionEvent): boolean {
  return MEMBERSHIP_EVENTS.has(event.type);
}

/** Undefined for dropped events. Unknown types are copied unchanged. */
export function copyOf(event: SessionEvent, context: CopyContext): EventDraft | undefined {
  if (LEFT_BEHIND.has(event.type)) return undefined;
  switch (event.type) {
    case "user_message":
      return { ...draftOf(event), copiedFrom: event.id };
    case "turn_start":
      return { ...draftOf(event), ...givenOf(event, context.seqs), copiedFrom: event.id };
    case "turn_end":
      return { ...draftOf(event), copied: true };
    case "ui_request":
      return { ...draftOf(event), request: withoutCovers(withConsent(event.request, undefined)) };
    case "context_update":
      return context.inLog.has(event.member) ? draftOf(event) : undefined;
    case "context_entry":
      return { ...draftOf(event), ...entryOf(event, context.seqs) };
    case "compaction":
      return compactionOf(event, context.seqs);
    case "compaction_undone":
      return { ...draftOf(event), compactionId: context.compactions.get(event.compactionId) ?? event.compactionId };
    case "damage":
      return warningOf(event);
    default:
      // The type stays the same.
      return draftOf(event) as EventDraft;
  }
}

type Envelope = "seq" | "epoch" | "id" | "ts" | "sessionId";

function draftOf<Event extends SessionEvent>(event: Event): Omit<Event, Envelope> {
  const { seq: _seq, epoch: _epoch, id: _id, ts: _ts, sessionId: _sessionId, ...draft } = event;
  return draft;
}

function givenOf({ given }: EventOf<"turn_start">, seqs: SeqMap): Pick<EventOf<"turn_start">, "given"> {
  if (given === undefined) return {};
  return { given: { fromSeq: seqs.firstFrom(given.fromSeq), toSeq: seqs.lastUpTo(given.toSeq) } };
}

function entryOf({ entry }: EventOf<"context_entry">, seqs: SeqMap): Pick<EventOf<"context_entry">, "entry"> {
  if (entry?.kind !== "forgot" || entry.firstKeptSeq === undefined) return {};
  return { entry: { ...entry, firstKeptSeq: seqs.firstFrom(entry.firstKeptSeq) } };
}

function compactionOf(event: EventOf<"compaction">, seqs: SeqMap): EventDraft {
  const pinned = event.pinned?.map((one) => ({ ...one, seq: seqs.firstFrom(one.seq) }));
  // Paid for in the original session.
  const { usage: _usage, ...draft } = draftOf(event);
  return {
    ...draft,
    firstKeptSeq: seqs.firstFrom(event.firstKeptSeq),
    ...(pinned === undefined ? {} : { pinned }),
  };
}

/** Session grants do not carry over. */
function withoutCovers(request: EventOf<"ui_request">["request"]): EventOf<"ui_request">["request"] {
  if (request.method !== "approval" || request.opts === undefined) return request;
  const { covers: _covers, ...opts } = request.opts;
  return { ...request, opts };
}

/** `damage` is created by the reader and never written; a warning takes its place. */
function warningOf({ fromSeq, toSeq }: EventOf<"damage">): EventDraft {
  const which = fromSeq < toSeq ? `Events ${fromSeq} to ${toSeq}` : `Event ${toSeq}`;
  const message =
    fromSeq > toSeq
      ? "The session this was copied from has bytes that cannot be read here."
      : `${which} of the session this was copied from could not be read and ${fromSeq < toSeq ? "are" : "is"} missing here.`;
  return { type: "warning", code: "damage", message };
}

/** Maps seqs of a session to its copy. Order is preserved, so only changes of the offset are stored. */
export class SeqMap {
  /** Ascending, in parallel: from this seq on, the copy has this offset. */
  readonly #froms: number[] = [];
  readonly #shifts: number[] = [];
  #last = 0;
  #lastCopy = 0;

  /** Call in ascending order. */
  note(seq: number, copySeq: number): void {
    if (this.#shifts.at(-1) !== copySeq - seq || seq !== this.#last + 1) {
      this.#froms.push(seq);
      this.#shifts.push(copySeq - seq);
    }
    this.#last = seq;
    this.#lastCopy = copySeq;
  }

  /** Copy of the first event at or after this one; one past the end when there is none. 0 stays 0. */
  firstFrom(seq: number): number {
    if (seq === 0) return 0;
    const at = this.#rangeAt(seq);
    const inside = at < 0 ? undefined : this.#inRange(at, seq);
    if (inside !== undefined) return inside;
    const next = this.#froms[at + 1];
    return next === undefined ? this.#lastCopy + 1 : next + (this.#shifts[at + 1] ?? 0);
  }

  /** Copy of the last event at or before this one; 0 when there is none. */
  lastUpTo(seq: number): number {
    const at = this.#rangeAt(seq);
    if (at < 0) return 0;
    return this.#inRange(at, seq) ?? this.#endOf(at);
  }

  #rangeAt(seq: number): number {
    let low = 0;
    let high = this.#froms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#froms[middle] ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #inRange(at: number, seq: number): number | undefined {
    const copy = seq + (this.#shifts[at] ?? 0);
    return copy <= this.#endOf(at) ? copy : undefined;
  }

  /** A contiguous range ends where the next one begins, in the copy. */
  #endOf(at: number): number {
    const next = this.#froms[at + 1];
    return next === undefined ? this.#lastCopy : next + (this.#shifts[at + 1] ?? 0) - 1;
  }
}
