/** Whether a log can have given out a cursor: after a power cut other events may stand where a client saw lost ones. */
import type { Cursor } from "../../protocol/index.ts";
import { neighborEpochs, type EventSource } from "./read-events.ts";

export interface KnownEnd {
  readonly seq: number;
  /** The epoch the log is open with; for a reader, that of its last record. */
  readonly openEpoch: number;
}

/**
 * A cursor carries the epoch of its event, or a later one in which nothing was appended before it was given out. So its
 * epoch lies between that of its event and that of the event after it.
 */
export async function knowsCursor(source: EventSource, end: KnownEnd, { epoch, seq }: Cursor): Promise<boolean> {
  if (seq > end.seq) return false;
  if (seq === 0 && epoch === 0) return true;
  const { at = 0, next = end.openEpoch } = await neighborEpochs(source, seq);
  return at <= epoch && epoch <= next;
}
