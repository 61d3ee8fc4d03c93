/** A glyph and a word for what a member does; colour only repeats what they say. */
import { heldMembers, type Head, type MemberState } from "../../../transcript/index.ts";

export interface MemberStatus {
  readonly glyph: string;
  readonly word: string;
}

/** With the session's head it is known whether what a member waits with is held. */
export function memberStatus(member: MemberState, head?: Head): MemberStatus {
  if (member.muted) return { glyph: "⊘", word: "muted" };
  if (member.state === "running") return { glyph: "●", word: "running" };
  if (member.compacting !== undefined) return { glyph: "⇊", word: "compacting" };
  if (head !== undefined && heldMembers(head).includes(member.name)) return { glyph: "‖", word: "held" };
  if (member.state === "waiting") return { glyph: "◔", word: "waiting" };
  if (member.lastOutcome === "errored") return { glyph: "✗", word: "failed" };
  if (member.lastOutcome === "timed_out") return { glyph: "✗", word: "timed out" };
  return { glyph: "○", word: "idle" };
}
