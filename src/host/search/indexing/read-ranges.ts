/** A log as stretches for the index, from where the index is, each small enough for one transaction. */
import type { LogReader } from "../../../log/index.ts";
import type { Entry, ReadingState, SessionRange } from "./entry.ts";
import { EMPTY_STATE, EntryReader } from "./read-entries.ts";

const ENTRIES_MAX = 400;
const CHARS_MAX = 512 * 1024;
/** A call that has been open for more events than this is not read again for the output it streamed. */
const REREAD_MAX = 100_000;

export interface RangeStart {
  readonly seq: number;
  readonly state: ReadingState;
}

export async function* readRanges(
  log: LogReader,
  { seq: start, state }: RangeStart = { seq: 0, state: EMPTY_STATE },
): AsyncGenerator<SessionRange, void, void> {
  const reader = new EntryReader(state);
  let after = start;
  let entries: Entry[] = [];
  let chars = 0;
  let last = { seq: start, epoch: log.epoch };
  const flush = (): SessionRange => {
    const range = {
      sessionId: log.sessionId,
      after,
      upTo: last.seq,
      epoch: last.epoch,
      entries,
      state: reader.state,
    };
    after = last.seq;
    entries = [];
    chars = 0;
    return { ...range, ...reader.drainFacts() };
  };
  for await (const events of log.read(readFrom(start, state))) {
    for (const event of events) {
      const newEntries = reader.read(event);
      if (event.seq <= start) continue;
      last = { seq: event.seq, epoch: event.epoch };
      for (const entry of newEntries) {
        entries.push(entry);
        chars += entry.text.length;
      }
      if (entries.length >= ENTRIES_MAX || chars >= CHARS_MAX) yield flush();
    }
  }
  // Also when there is nothing new: then the log is known to be read to its end.
  if (last.seq > after || after === start) yield flush();
}

/** What open calls have streamed is read again: the index keeps only where they began. */
function readFrom(start: number, { calls }: ReadingState): number {
  const first = Math.min(start, ...Object.values(calls).map((seq) => seq - 1));
  return start - first > REREAD_MAX ? start : first;
}
