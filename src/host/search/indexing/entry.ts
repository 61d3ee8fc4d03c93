/** One searchable thing of a session: something said, done or shown, with the place where it stands. */
import type { SearchKind } from "../../../protocol/index.ts";

export interface Entry {
  /** Where the message begins that it stands in. */
  readonly seq: number;
  readonly eventSeq: number;
  readonly ts: number;
  readonly kind: SearchKind;
  readonly member?: string;
  readonly tool?: string;
  readonly turnId?: string;
  readonly messageId?: string;
  readonly text: string;
  /** It is nothing to be found itself: the text that was said in this event is taken back. */
  readonly retracts?: number;
}

/** What of a session the index has to know to go on in the middle of it. */
export interface ReadingState {
  /** Where each open turn began. */
  readonly turns: Readonly<Record<string, number>>;
  /** Where each open call began. */
  readonly calls: Readonly<Record<string, number>>;
  /** Where each text of an open turn was said: it can still be taken back. Missing in what older versions kept. */
  readonly texts?: Readonly<Record<string, number>>;
}

/** A stretch of a session, whole from `after` to `upTo`. */
export interface SessionRange {
  readonly sessionId: string;
  readonly after: number;
  readonly upTo: number;
  /** The epoch of its last event. */
  readonly epoch: number;
  readonly entries: readonly Entry[];
  readonly state: ReadingState;
  /** Present when it was said in this stretch. */
  readonly title?: string;
  readonly cwd?: string;
}
