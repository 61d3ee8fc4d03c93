/**
 * Messages that belong in a thread's files, and those already there: a fold of the log. A user message is
 * due at its event, an answer at its `turn_end`; `mirrored` names its file. Messages read from the thread are never due
 * for it.
 */
import type { BlobRef, EventOf, Outcome, SessionEvent, ThreadMirror } from "../../../src/protocol/index.ts";
import { joinSegments } from "../../../src/transcript/index.ts";
import type { ThreadMessage } from "./message-file.ts";
import { KING, messageFileName, parseMessageFileName, threadNames } from "./names.ts";
import { parseOrigin } from "./origin.ts";
import { encodeTurnBody, type TurnBody } from "./turn-body.ts";

export interface DueMessage {
  readonly eventSeq: number;
  /** Absent for the user. */
  readonly member: string | undefined;
  readonly turnId: string | undefined;
  readonly message: ThreadMessage;
  /** The whole body when the event holds only its beginning. */
  readonly bodyBlob: BlobRef | undefined;
}

export interface OpenTurn {
  readonly turnId: string;
  readonly member: string;
  readonly isImported: boolean;
  readonly origin: string | undefined;
  readonly segments: Map<string, string>;
}

type Entry = Omit<DueMessage, "message"> & {
  readonly to: string;
  readonly ts: number;
  readonly refs: readonly string[];
  readonly body: string | (TurnBody & { readonly timeoutSeconds: number });
  readonly origin: string | undefined;
};

interface KnownFile {
  readonly eventSeq: number;
  /** False for a file that was read here. */
  readonly isOurs: boolean;
  /** Hash of the file's bytes, if the log has it. */
  readonly hash?: string;
}

export interface CutTurn {
  readonly turnId: string;
  readonly origin: string;
}

const DEFAULT_TIMEOUT_SECONDS = 600;
/** Turns that are not mirrored: questions between members are part of a turn, minutes a record of it. */
const ASIDE: ReadonlySet<string> = new Set(["exchange", "subagent", "minutes"]);

export class ThreadIndex {
  #names = new Map<string, string>();
  readonly #open = new Map<string, OpenTurn>();
  /** Not in any file yet, by seq. */
  readonly #entries = new Map<number, Entry>();
  readonly #files = new Map<string, Map<string, KnownFile>>();
  /** Imported turns that were cut before their message was written. */
  readonly #cut = new Map<string, CutTurn>();
  #timeoutSeconds = DEFAULT_TIMEOUT_SECONDS;
  #mirror: ThreadMirror | null | undefined;
  #createdTs = 0;
  #seq = 0;

  /** Thread from the settings; null or undefined for none. */
  get mirror(): ThreadMirror | null | undefined {
    return this.#mirror;
  }

  get createdTs(): number {
    return this.#createdTs;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Names in files of every member that ever joined. */
  get names(): ReadonlyMap<string, string> {
    return this.#names;
  }

  get openTurns(): readonly OpenTurn[] {
    return [...this.#open.values()];
  }

  nameOf(member: string | undefined): string {
    return member === undefined ? KING : (this.names.get(member) ?? member);
  }

  /** Member for the sender of a file; an unknown sender keeps its name. */
  memberOf(sender: string): string {
    return [...this.names].find(([, name]) => name === sender)?.[0] ?? sender;
  }

  /** Known files of a thread: written here or read. */
  filesOf(thread: string): ReadonlyMap<string, KnownFile> {
    return this.#files.get(thread) ?? new Map<string, KnownFile>();
  }

  /** Messages to write into this thread, oldest first. */
  due(thread: string): DueMessage[] {
    return [...this.#entries.values()]
      .filter((entry) => parseOrigin(entry.origin)?.thread !== thread)
      .map((entry) => this.#render(entry));
  }

  /** Messages read from this thread and not yet linked to their file. */
  unlinked(thread: string): DueMessage[] {
    return [...this.#entries.values()]
      .filter((entry) => parseOrigin(entry.origin)?.thread === thread)
      .map((entry) => this.#render(entry));
  }

  /** An imported turn of this member that ended without its message; the next one from there replaces it. */
  cutTurnOf(member: string, origin: string): CutTurn | undefined {
    const cut = this.#cut.get(member);
    // A turn read from a message is that message; one from a stream becomes the next message.
    return cut?.origin === origin || parseOrigin(cut?.origin)?.number === undefined ? cut : undefined;
  }

  apply(event: SessionEvent): void {
    this.#seq = event.seq;
    switch (event.type) {
      case "session_created":
        this.#createdTs = event.ts;
        this.#applySettings(event.settings);
        return;
      case "settings_changed":
        this.#applySettings(event.settings);
        return;
      case "member_joined":
        if (this.#names.has(event.member)) return;
        this.#names = threadNames([...this.#names.keys(), event.member]);
        return;
      case "user_message":
        this.#addUserMessage(event);
        return;
      case "turn_start":
        if (event.depth === 0 && !ASIDE.has(event.cause)) this.#start(event);
        return;
      case "text_delta": {
        const segments = this.#open.get(event.turnId)?.segments;
        segments?.set(event.segmentId, (segments.get(event.segmentId) ?? "") + event.text);
        return;
      }
      case "text_done":
        this.#open.get(event.turnId)?.segments.set(event.segmentId, event.text);
        return;
      case "text_retracted":
        this.#open.get(event.turnId)?.segments.delete(event.segmentId);
        return;
      case "turn_end":
        this.#end(event);
        return;
      case "mirrored":
        this.#link(event);
        return;
      default:
    }
  }

  #applySettings(settings: EventOf<"settings_changed">["settings"]): void {
    if (settings.timeout !== undefined) this.#timeoutSeconds = settings.timeout;
    if (settings.mirror !== undefined) this.#mirror = settings.mirror;
  }

  #addUserMessage(event: EventOf<"user_message">): void {
    const { seq, ts, text, textBlob, to, toAll, attachments, origin } = event;
    const entry: Entry = {
      eventSeq: seq,
      member: undefined,
      turnId: undefined,
      to: toAll || to.length === 0 ? "all" : to.map((name) => this.nameOf(name)).join(", "),
      ts,
      refs: attachments.map((one) => one.name),
      body: text,
      bodyBlob: textBlob,
      origin,
    };
    this.#add(entry);
  }

  #start(event: EventOf<"turn_start">): void {
    const { turnId, member, cause, origin } = event;
    this.#open.set(turnId, { turnId, member, isImported: cause === "imported", origin, segments: new Map() });
    if (event.replaces !== undefined && this.#cut.get(member)?.turnId === event.replaces) this.#cut.delete(member);
  }

  #end(event: EventOf<"turn_end">): void {
    const turn = this.#open.get(event.turnId);
    if (turn === undefined) return;
    this.#open.delete(turn.turnId);
    const { seq, ts, outcome, error } = event;
    const text = joinSegments([...turn.segments.values()]);
    // Interrupted here only: its message may still appear.
    if (turn.origin !== undefined && isCut(event)) {
      this.#cut.set(turn.member, { turnId: turn.turnId, origin: turn.origin });
      return;
    }
    this.#add({
      eventSeq: seq,
      member: turn.member,
      turnId: turn.turnId,
      to: KING,
      ts,
      refs: [],
      body: { text, outcome, error: error?.message, timeoutSeconds: this.#timeoutSeconds },
      bodyBlob: undefined,
      origin: turn.origin,
    });
  }

  /** Counts as mirrored when it was read from a file. */
  #add(entry: Entry): void {
    const origin = parseOrigin(entry.origin);
    if (origin?.number === undefined) this.#entries.set(entry.eventSeq, entry);
    else this.#note(origin.thread, origin.file, { eventSeq: entry.eventSeq, isOurs: false });
  }

  #link({ eventSeq, number, hash }: EventOf<"mirrored">): void {
    const thread = this.#mirror?.thread;
    if (thread === undefined) return;
    const entry = this.#entries.get(eventSeq);
    if (entry !== undefined) {
      this.#entries.delete(eventSeq);
      const isOurs = parseOrigin(entry.origin)?.thread !== thread;
      this.#note(thread, messageFileName(number, this.nameOf(entry.member)), { eventSeq, isOurs, hash });
      return;
    }
    // A second event for the same message: it was renumbered.
    const moved = [...this.filesOf(thread)].find(([, known]) => known.eventSeq === eventSeq);
    if (moved === undefined) return;
    this.#files.get(thread)?.delete(moved[0]);
    const sender = parseMessageFileName(moved[0])?.sender ?? KING;
    this.#note(thread, messageFileName(number, sender), { ...moved[1], hash });
  }

  #note(thread: string, file: string, known: KnownFile): void {
    const files = this.#files.get(thread) ?? new Map<string, KnownFile>();
    this.#files.set(thread, files);
    files.set(file, known);
  }

  #render({ eventSeq, member, turnId, bodyBlob, to, ts, refs, body }: Entry): DueMessage {
    const text = typeof body === "string" ? body : encodeTurnBody(body, body.timeoutSeconds);
    return { eventSeq, member, turnId, bodyBlob, message: { from: this.nameOf(member), to, ts, refs, body: text } };
  }
}

/** Reasons of turns ended because we stopped following, not because the speaker was done. */
const STOPPED_HERE: ReadonlySet<string> = new Set(["restart", "mirror_closed", "quiet"]);

function isCut({ outcome, reason }: { outcome: Outcome; reason?: string | undefined }): boolean {
  return outcome === "interrupted" && reason !== undefined && STOPPED_HERE.has(reason);
}
