/**
 * Folds many events: the same result as reducing them one by one, but consecutive deltas are joined first, so that a
 * run changes each segment once.
 */
import type { EventOf, SessionEvent } from "../protocol/index.ts";
import type { Transcript } from "./model.ts";
import { changeTurn } from "./reducers/open-turns.ts";
import { reduce } from "./reduce.ts";
import { appendText, appendThinking } from "./reducers/text.ts";

/** Segments of a run are searched linearly, so a longer run is split. */
const RUN_SEGMENTS_MAX = 16;

export function fold(transcript: Transcript, events: Iterable<SessionEvent>): Transcript {
  let folded = transcript;
  let run: Run | undefined;
  for (const event of events) {
    if (run !== undefined) {
      if (joins(run, event)) continue;
      folded = settle(folded, run);
      run = undefined;
    }
    if (isDelta(event) && event.seq === folded.head.seq + 1) {
      run = { last: event, segments: [{ first: event, text: event.text }] };
    } else {
      folded = reduce(folded, event);
    }
  }
  return run === undefined ? folded : settle(folded, run);
}

type Delta = EventOf<"text_delta"> | EventOf<"thinking_delta">;

/** Deltas of one type with consecutive seqs. Text and thinking are never mixed, because their order is visible. */
interface Run {
  last: Delta;
  /** By first delta. */
  readonly segments: { readonly first: Delta; text: string }[];
}

function isDelta(event: SessionEvent): event is Delta {
  return event.type === "text_delta" || event.type === "thinking_delta";
}

/** Adds the event to the run; false when it does not fit. */
function joins(run: Run, event: SessionEvent): boolean {
  if (!isDelta(event) || event.type !== run.last.type || event.seq !== run.last.seq + 1) return false;
  for (const segment of run.segments) {
    if (segment.first.segmentId === event.segmentId && segment.first.turnId === event.turnId) {
      segment.text += event.text;
      run.last = event;
      return true;
    }
  }
  if (run.segments.length === RUN_SEGMENTS_MAX) return false;
  run.segments.push({ first: event, text: event.text });
  run.last = event;
  return true;
}

function settle(transcript: Transcript, run: Run): Transcript {
  const { seq, epoch, ts } = run.last;
  let settled = transcript;
  for (const { first, text } of run.segments) {
    settled =
      first.type === "text_delta"
        ? changeTurn(settled, { ...first, seq, epoch, ts, text }, appendText)
        : changeTurn(settled, { ...first, seq, epoch, ts, text }, appendThinking);
  }
  return settled;
}
