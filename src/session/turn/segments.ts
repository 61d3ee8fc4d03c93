/**
 * Open text and thinking segments of one turn. Every segment is closed once, its closing event carries its whole text,
 * and no segment exceeds SEGMENT_BYTES_MAX: longer text continues in the next one.
 */
import type { Clock } from "../../kit/clock.ts";
import { newId } from "../../kit/ids.ts";
import type { EventDraft } from "../../protocol/index.ts";
import { createDeltaJoiner, type DeltaJoiner } from "./delta-joiner.ts";
import { beginningOf, encodedBytes } from "../../kit/text/encoded-size.ts";
import { SEGMENT_BYTES_MAX } from "../limits.ts";

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
}

export class Segments {
  readonly #stamp: Stamp;
  readonly #clock: Clock;
  readonly #append: (draft: EventDraft) => void;
  #open: Segment | undefined;
  /**
   * Segments since the agent last ended a text or thought. They are one logical text: it continues after interleaved
   * events and full segments, and its end or retraction covers all of them.
   */
  readonly #current: Record<SegmentKind, Segment[]> = { text: [], thinking: [] };
  #lastText: string | undefined;
  /** Segment ids of ended texts, newest last: a repeated answer may have had several. */
  readonly #ended: (readonly string[])[] = [];

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

  /** Ends the text or thought; `whole`, when given, is authoritative. */
  done(kind: SegmentKind, whole?: string): void {
    this.#closeOther(kind);
    if (this.#current[kind].length === 0) {
      if (whole === undefined || whole === "" || (kind === "text" && whole === this.#lastText)) return;
      this.#grow(kind, whole);
    } else if (whole !== undefined) this.#correct(kind, whole);
    this.close();
    const segments = this.#current[kind].splice(0);
    if (kind === "thinking" || segments.length === 0) return;
    this.#lastText = textOf(segments);
    this.#ended.push(segments.map(({ segmentId }) => segmentId));
  }

  /** Retracts the open text, or else the last ended one. */
  retract(reason?: string): void {
    const currentIds = this.#current.text.splice(0).map(({ segmentId }) => segmentId);
    if (this.#open?.kind === "text") {
      this.#open.joiner.drop();
      this.#open = undefined;
    }
    this.#lastText = undefined;
    this.#appendRetractions(currentIds.length > 0 ? currentIds : (this.#ended.pop() ?? []), reason);
  }

  /** Closes open segments because something else interleaves; the text may continue after it. */
  close(options = { interrupted: false }): void {
    if (this.#open !== undefined) this.#end(this.#open, options.interrupted);
  }

  #appendRetractions(ids: readonly string[], reason?: string): void {
    const why = reason === undefined ? {} : { reason };
    for (const segmentId of ids) this.#append({ type: "text_retracted", ...this.#stamp, segmentId, ...why });
  }

  #closeOther(kind: SegmentKind): void {
    if (this.#open !== undefined && this.#open.kind !== kind) this.#end(this.#open, false);
  }

  #begin(kind: SegmentKind): Segment {
    const segmentId = newId();
    const stamp = { ...this.#stamp, segmentId };
    const joiner = createDeltaJoiner(this.#clock, (text) => this.#append({ type: `${kind}_delta`, ...stamp, text }));
    if (kind === "thinking") this.#append({ type: "thinking_start", ...stamp });
    this.#open = { kind, segmentId, joiner, text: "", bytes: 0 };
    this.#current[kind].push(this.#open);
    return this.#open;
  }

  #end(segment: Segment, interrupted: boolean): void {
    this.#open = undefined;
    segment.joiner.flush();
    const { segmentId, text } = segment;
    if (segment.kind === "thinking") this.#append({ type: "thinking_done", ...this.#stamp, segmentId, text });
    else this.#append({ type: "text_done", ...this.#stamp, segmentId, text, ...(interrupted ? { interrupted } : {}) });
  }

  #grow(kind: SegmentKind, text: string): void {
    let rest = text;
    while (rest !== "") {
      const segment = this.#open ?? this.#begin(kind);
      const chunk = beginningOf(rest, SEGMENT_BYTES_MAX - segment.bytes);
      if (chunk !== "") {
        segment.text += chunk;
        segment.bytes += encodedBytes(chunk);
        segment.joiner.add(chunk);
        rest = rest.slice(chunk.length);
      }
      // The segment is full: continue in a new one.
      if (rest !== "") this.#end(segment, false);
    }
  }

  /** The final text wins over the streamed one. */
  #correct(kind: SegmentKind, whole: string): void {
    const open = this.#open;
    const closed = this.#current[kind].filter((segment) => segment !== open);
    const before = textOf(closed);
    // Thinking stays as streamed; a text that differs is emitted again, once.
    if (!whole.startsWith(before) && kind === "thinking") return;
    // An agent that reports only the part after the cut retracts nothing.
    const isTail = open !== undefined && open.text !== "" && whole.startsWith(open.text);
    if (!whole.startsWith(before) && isTail) {
      this.#grow(kind, whole.slice(open.text.length));
      return;
    }
    const isAnother = !whole.startsWith(before);
    if (isAnother) {
      this.#appendRetractions(closed.map(({ segmentId }) => segmentId));
      this.#current[kind] = open === undefined ? [] : [open];
    }
    const rest = isAnother ? whole : whole.slice(before.length);
    if (open === undefined || rest.startsWith(open.text)) {
      this.#grow(kind, rest.slice(open?.text.length ?? 0));
      return;
    }
    open.joiner.drop();
    open.text = beginningOf(rest, SEGMENT_BYTES_MAX);
    open.bytes = encodedBytes(open.text);
    if (open.text.length === rest.length) return;
    this.#end(open, false);
    this.#grow(kind, rest.slice(open.text.length));
  }
}

function textOf(segments: readonly Segment[]): string {
  return segments.map(({ text }) => text).join("");
}
