/**
 * What a member's model has been told and has said, as the log has it: for agents whose context the log holds
 * (`capabilities.compact` "table"). An agent that is given a past forgets its own and goes on from this one.
 */
import type { ContextCall, ContextEntry, Json, Outcome } from "../protocol/index.ts";
import type { Attached } from "./port.ts";

export interface ConversationHistory {
  /** What stands in the place of the turns that were folded away. */
  readonly folded?: FoldedHistory;
  /** Older turns that stay because they are pinned, and then those that were never folded; oldest first. */
  readonly pinned: readonly HistoryTurn[];
  readonly turns: readonly HistoryTurn[];
  /** How full the window was, as far as anybody knows. */
  readonly used?: { readonly tokens: number; readonly measured: boolean };
  /** The last compaction was undone, and none came after it. */
  readonly isUndone?: true;
}

export interface FoldedHistory {
  readonly handover: string;
  readonly userTexts: readonly string[];
  readonly pinned: readonly PinnedTurn[];
  /** The seq of the compaction. */
  readonly seq: number;
}

/** A turn that outlives a compaction: whole, or only what was asked in it. */
export interface PinnedTurn {
  readonly turnId: string;
  readonly seq: number;
  readonly whole: boolean;
}

/** Where a turn stands in the log. */
export interface TurnPosition {
  /** Of its `turn_start`. */
  readonly seq: number;
  /** The oldest that it was told in full. */
  readonly fromSeq: number;
  /** The messages of the user it answers. */
  readonly messageIds: readonly string[];
}

export interface HistoryTurn extends TurnPosition {
  readonly turnId: string;
  readonly steps: readonly HistoryStep[];
  readonly outcome: Outcome;
  /** Set where the program ended in the middle of it. */
  readonly isCut?: true;
  /** What it had begun to say when it ended. */
  readonly partial: string;
}

export type HistoryStep =
  | { readonly kind: "asked"; readonly text: string; readonly images: readonly Attached[]; readonly words?: string }
  | { readonly kind: "steered"; readonly messageId: string; readonly text: string }
  | {
      readonly kind: "replied";
      readonly text: string;
      readonly calls: readonly HistoryCall[];
      readonly kept: readonly Json[];
    }
  | Extract<ContextEntry, { kind: "forgot" | "not_folded" }>;

export interface HistoryCall extends ContextCall {
  /** What the model was told of it; absent when it was stopped before. */
  readonly result?: string;
}

/** Something the user wants to be kept, whatever is folded away. */
export interface Pinned {
  /** A messageId, or the turnId of a turn. */
  readonly id: string;
  /** Null for the user. */
  readonly by: string | null;
  readonly text: string;
}
