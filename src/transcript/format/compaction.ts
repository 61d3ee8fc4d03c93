/** What a compaction has kept and what it has folded away, in plain words, the same in every view. */

import type { EventOf } from "../../protocol/index.ts";
import type { CompactionState, Head } from "../model.ts";
import { own } from "../record.ts";

/** One fact a line, then the summary. */
export function formatCompaction(event: EventOf<"compaction">): string {
  const { native, folded, pinned = [], quoted = [], focus, firstKeptSeq, summary, automatic, measured } = event;
  const pins = pinned.length + quoted.length;
  const facts =
    native === true
      ? ["Done by the agent's own program; what it has kept is not known here."]
      : [
          ...(folded === undefined
            ? []
            : [`Folded away: ${folded} ${folded === 1 ? "turn" : "turns"}; the log keeps them.`]),
          `Kept as it was: everything from event ${firstKeptSeq} on.`,
          ...(pins === 0 ? [] : [`Kept because it is pinned: ${pins} ${pins === 1 ? "message" : "messages"}.`]),
          ...(measured === false ? ["The tokens are an estimate."] : []),
        ];
  return [
    ...(automatic === true && native !== true ? ["The window was nearly full."] : []),
    ...facts,
    ...(focus === undefined ? [] : [`Asked to look after: ${focus}`]),
    ...(summary.trim() === "" ? [] : ["", summary]),
  ].join("\n");
}

/** What a member has in its context, and what was folded away. */
/** The last one that was not undone. */
export function compactionOf(head: Head, member: string): CompactionState | undefined {
  return own(head.members, member)?.compactions?.at(-1);
}

/**
 * True for what the member has no longer before it as it was said. Nobody knows what a program of its own has kept, so
 * nothing counts as folded there. `id` is the messageId or turnId: what is pinned was kept.
 */
export function isFolded(head: Head, member: string, seq: number, id?: string): boolean {
  const compaction = compactionOf(head, member);
  if (compaction === undefined || compaction.native || seq >= compaction.firstKeptSeq) return false;
  return id === undefined || !compaction.kept.includes(id);
}
