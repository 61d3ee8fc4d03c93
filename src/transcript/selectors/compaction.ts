/** What a member has in its context, and what was folded away. */
import type { CompactionState, Head } from "../model.ts";
import { own } from "../record.ts";

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
