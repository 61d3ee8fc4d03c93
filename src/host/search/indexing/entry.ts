/** One searchable item of a session, such as a text, call or output, with its position. */
import type { SearchKind } from "../../../protocol/index.ts";

export interface Entry {
  /** First seq of the message that contains it. */
  readonly seq: number;
  readonly eventSeq: number;
  readonly ts: number;
  readonly kind: SearchKind;
  /** Who said it, if it was not the user of this machine. */
  readonly member?: string;
  /** The client id of a user message that came through a team's server. */
  readonly sender?: string;
  readonly tool?: string;
  readonly turnId?: string;
  readonly messageId?: string;
  readonly text: string;
  /** A marker without text: the text of this event was retracted. */
  readonly retracts?: number;
}

/** State needed to continue reading in the middle of a session. */
export interface ReadingState {
  /** First seq of each open turn. */
  readonly turns: Readonly<Record<string, number>>;
  /** First seq of each open call. */
  readonly calls: Readonly<Record<string, number>>;
  /** Seq of each text of an open turn, which can still be retracted. Absent in state of older versions. */
  readonly texts?: Readonly<Record<string, number>>;
}

/** A range of a session, complete from `after` (exclusive) to `upTo`. */
export interface SessionRange {
  readonly sessionId: string;
  readonly after: number;
  readonly upTo: number;
  /** The epoch of its last event. */
  readonly epoch: number;
  readonly entries: readonly Entry[];
  readonly state: ReadingState;
  /** Present when set in this range. */
  readonly title?: string;
  readonly cwd?: string;
}
