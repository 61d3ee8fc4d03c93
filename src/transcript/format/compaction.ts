/** What a compaction has kept and what it has folded away, in plain words, the same in every view. */
import type { EventOf } from "../../protocol/index.ts";

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
