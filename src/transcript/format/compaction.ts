/** Describes a compaction: what was kept and what was summarised. */

import { plural } from "../../kit/text/format.ts";
import type { EventOf } from "../../protocol/index.ts";
import type { CompactionState, Head } from "../model.ts";
import { own } from "../record.ts";

/** One fact per line, then the summary. */
export function formatCompaction(event: EventOf<"compaction">): string {
  const { native, folded, pinned = [], quoted = [], focus, firstKeptSeq, summary, automatic, measured } = event;
  const pins = pinned.length + quoted.length;
  const facts =
    native === true
      ? ["Done by the agent's own program; what it kept is unknown."]
      : [
          ...(folded === undefined ? [] : [`Summarised: ${plural(folded, "turn")}; the log keeps the originals.`]),
          `Kept in full: everything from event ${firstKeptSeq} on.`,
          ...(pins === 0 ? [] : [`Kept because pinned: ${plural(pins, "message")}.`]),
          ...(measured === false ? ["Token counts are estimates."] : []),
        ];
  return [
    ...(automatic === true && native !== true ? ["The window was nearly full."] : []),
    ...facts,
    ...(focus === undefined ? [] : [`Focus: ${focus}`]),
    ...(summary.trim() === "" ? [] : ["", summary]),
  ].join("\n");
}

/** The last compaction that was not undone. */
export function compactionOf(head: Head, member: string): CompactionState | undefined {
  return own(head.members, member)?.compactions?.at(-1);
}

/**
 * True when the member no longer has this event verbatim in its context. Always false for agents that compact natively,
 * since it is unknown what they keep. `id` is the messageId or turnId: pinned ones are kept.
 */
export function isFolded(head: Head, member: string, seq: number, id?: string): boolean {
  const compaction = compactionOf(head, member);
  if (compaction === undefined || compaction.native || seq >= compaction.firstKeptSeq) return false;
  return id === undefined || !compaction.kept.includes(id);
}
