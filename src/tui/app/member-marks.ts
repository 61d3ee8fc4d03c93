/** A glyph and a word for what a member does; colour only repeats what they say. */
import type { MemberState } from "../../transcript/index.ts";

export interface MemberMark {
  readonly glyph: string;
  readonly word: string;
}

export function memberMark(member: MemberState): MemberMark {
  if (member.muted) return { glyph: "⊘", word: "muted" };
  if (member.state === "running") return { glyph: "●", word: "running" };
  if (member.compacting !== undefined) return { glyph: "⇊", word: "compacting" };
  if (member.state === "waiting") return { glyph: "◔", word: "waiting" };
  if (member.lastOutcome === "errored") return { glyph: "✗", word: "failed" };
  if (member.lastOutcome === "timed_out") return { glyph: "✗", word: "timed out" };
  return { glyph: "○", word: "idle" };
}
