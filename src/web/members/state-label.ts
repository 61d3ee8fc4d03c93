/** What a member does, in a word. */
import type { MemberState } from "../../transcript/index.ts";

/** Empty for one that has nothing to do, which need not be said everywhere. */
export function stateLabel({ muted, state, lastOutcome, compacting }: MemberState): string {
  if (muted) return "muted";
  if (compacting !== undefined && state !== "running") return "compacting";
  if (state !== "idle") return state;
  if (lastOutcome === "errored") return "failed";
  return lastOutcome === "timed_out" ? "timed out" : "";
}
