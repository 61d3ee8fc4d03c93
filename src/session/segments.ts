/**
 * The open text and thinking segments of one turn.
 * Promises: every opened segment is closed once, its closing event carries its whole text, and no segment grows past
 * SEGMENT_BYTES_MAX: a longer one goes on in the next segment.
 */
import type { Clock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import type { EventDraft } from "../protocol/index.ts";
import { createDeltaJoiner, type DeltaJoiner } from "./delta-joiner.ts";
import { beginningOf, encodedBytes } from "../kit/encoded-size.ts";
import { SEGMENT_BYTES_MAX } from "./limits.ts";

export type SegmentKind = "text" | "thinking";

export interface Stamp {
  readonly turnId: string;
  readonly member: string;
}

interface Segment {
  readonly kind: SegmentKind;
  readonly segmentId: string;
  readonly joiner: DeltaJoiner;
  text: string;
  bytes: number;
  /** The texts of the segments this one goes on from, because they were full. */
  readonly before: readonly string[];
  /** Ids of all segments of this text, the full ones too. */
  readonly ids: readonly string[];
}

export class Segments {
  readonly #stamp: Stamp;
  readonly #clock: Clock;
  readonly #append: (draft: EventDraft) => void;
  #open: Segment | undefined;
  #lastText: Segment | undefined;
  /** Ids of the texts that were closed, newest last: an answer that is asked for again may have had several. */
  readonly #closed: (readonly string[])[] = [];

  constructor(stamp: Stamp, clock: Clock, append: (draft: EventDraft) => void) {
    this.#stamp = stamp;
    this.#clock = clock;
    this.#append = append;
  }

  delta(kind: SegmentKind, text: string): void {
    if (text === "") return;
    this.#closeOther(kind);
    this.#grow(kind, text);
  }

  /** Closes the open segment; `whole`, when given, is what it really says. */
  done(kind: SegmentKind, whole?: string): void {
    this.#closeOther(kind);
    if (this.#open === undefined) {
      if (whole === undefined || whole === "" || (kind === "text" && this.#isLastText(whole))) return;
      this.#grow(kind, whole);
    } else if (whole !== undefined) this.#correct(this.#open, whole);
    this.close();
  }

  /** Takes back the open text, or else the text closed last. */
  retract(reason?: string): void {
    const open = this.#open?.kind === "text" ? this.#open : undefined;
    const closed = open === undefined || open.before.length > 0 ? this.#closed.pop() : undefined;
    const ids = open?.ids ?? closed ?? [];
    if (this.#open?.kind === "text") {
      this.#open.joiner.drop();
      this.#open = undefined;
    }
    this.#lastText = undefined;
    for (const segmentId of ids) {
      const why = reason === undefined ? {} : { reason };
      this.#append({ type: "text_retracted", ...this.#stamp, segmentId, ...why });
    }
  }

  /** Closes whatever is open. */
  close(options = { interrupted: false }): void {
    if (this.#open !== undefined) this.#end(this.#open, options.interrupted);
  }

  #isLastText(whole: string): boolean {
    const last = this.#lastText;
    return last !== undefined && whole === last.before.join("") + last.text;
  }

  #closeOther(kind: SegmentKind): void {
    if (this.#open !== undefined && this.#open.kind !== kind) this.#end(this.#open, false);
  }

  #begin(kind: SegmentKind, from?: Segment): Segment {
    const segmentId = newId();
    const stamp = { ...this.#stamp, segmentId };
    const joiner = createDeltaJoiner(this.#clock, (text) => this.#append({ type: `${kind}_delta`, ...stamp, text }));
    if (kind === "thinking") this.#append({ type: "thinking_start", ...stamp });
    const before = from === undefined ? [] : [...from.before, from.text];
    this.#open = { kind, segmentId, joiner, text: "", bytes: 0, before, ids: [...(from?.ids ?? []), segmentId] };
    return this.#open;
  }

  #end(segment: Segment, interrupted: boolean): void {
    this.#open = undefined;
    segment.joiner.flush();
    const { segmentId, text } = segment;
    if (segment.kind === "thinking") {
      this.#append({ type: "thinking_done", ...this.#stamp, segmentId, text });
      return;
    }
    this.#lastText = segment;
    // It goes on from one that was full, and has its id too.
    if (segment.before.length > 0) this.#closed.pop();
    this.#closed.push(segment.ids);
    this.#append({ type: "text_done", ...this.#stamp, segmentId, text, ...(interrupted ? { interrupted } : {}) });
  }

  #grow(kind: SegmentKind, text: string): void {
    let rest = text;
    while (rest !== "") {
      const segment = this.#open ?? this.#begin(kind);
      const piece = beginningOf(rest, SEGMENT_BYTES_MAX - segment.bytes);
      if (piece !== "") {
        segment.text += piece;
        segment.bytes += encodedBytes(piece);
        segment.joiner.add(piece);
        rest = rest.slice(piece.length);
      }
      if (rest !== "") this.#goOn(segment);
    }
  }

  /** The segment is full: the text goes on in a new one. */
  #goOn(segment: Segment): void {
    this.#end(segment, false);
    this.#begin(segment.kind, segment);
  }

  /** What the agent says at the end wins over what it streamed, as far as the segment is still open. */
  #correct(segment: Segment, whole: string): void {
    const closed = segment.before.join("");
    if (!whole.startsWith(closed)) return;
    const rest = whole.slice(closed.length);
    if (rest.startsWith(segment.text)) {
      this.#grow(segment.kind, rest.slice(segment.text.length));
      return;
    }
    segment.joiner.drop();
    segment.text = beginningOf(rest, SEGMENT_BYTES_MAX);
    segment.bytes = encodedBytes(segment.text);
    if (segment.text.length === rest.length) return;
    this.#goOn(segment);
    this.#grow(segment.kind, rest.slice(segment.text.length));
  }
}
