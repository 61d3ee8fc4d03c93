/**
 * A member's conversation with its model, rebuilt from the log: for agents with `capabilities.compact` "table". An
 * agent that gets a history replaces its own with it.
 */
import type { ContextCall, ContextEntry, Json, Outcome } from "../protocol/index.ts";

/** An attachment with its content, as far as it is handed over. */
export interface Attached {
  name: string;
  mime: string;
  /** Size of the whole attachment. */
  bytes: number;
  /** Absent when too large, of an unsupported type, or deleted. */
  data?: Uint8Array;
}

export interface ConversationHistory {
  /** Stands in for the turns that were compacted. */
  readonly folded?: FoldedHistory;
  /** Older pinned turns in `pinned`, turns after the last compaction in `turns`; oldest first. */
  readonly pinned: readonly HistoryTurn[];
  readonly turns: readonly HistoryTurn[];
  /** Last known context usage. */
  readonly used?: { readonly tokens: number; readonly measured: boolean };
  /** The last compaction was undone and none followed. */
  readonly isUndone?: true;
}

export interface FoldedHistory {
  readonly handover: string;
  readonly userTexts: readonly string[];
  readonly pinned: readonly PinnedTurn[];
  /** Of the `compaction` event. */
  readonly seq: number;
}

/** A turn that survives compaction: whole, or its question only. */
export interface PinnedTurn {
  readonly turnId: string;
  readonly seq: number;
  readonly whole: boolean;
}

/** Position of a turn in the log. */
export interface TurnPosition {
  /** Of `turn_start`. */
  readonly seq: number;
  /** The oldest entry that its prompt quotes in full. */
  readonly fromSeq: number;
  /** Messages of the user that it answers. */
  readonly messageIds: readonly string[];
}

export interface HistoryTurn extends TurnPosition {
  readonly turnId: string;
  readonly steps: readonly HistoryStep[];
  readonly outcome: Outcome;
  /** The host or program ended during the turn. */
  readonly isCut?: true;
  /** Text streamed before the turn was cut. */
  readonly partial: string;
}

export type HistoryStep =
  | { readonly kind: "asked"; readonly text: string; readonly images: readonly Attached[]; readonly userText?: string }
  | { readonly kind: "steered"; readonly messageId: string; readonly text: string }
  | {
      readonly kind: "replied";
      readonly text: string;
      readonly calls: readonly HistoryCall[];
      readonly kept: readonly Json[];
    }
  | Extract<ContextEntry, { kind: "forgot" | "not_folded" }>;

export interface HistoryCall extends ContextCall {
  /** Result text for the model; absent when the call was stopped. */
  readonly result?: string;
}

/** Something the user pinned; survives every compaction. */
export interface Pinned {
  /** messageId, or turnId of a turn. */
  readonly id: string;
  /** Undefined for the user. */
  readonly by: string | undefined;
  readonly text: string;
}
