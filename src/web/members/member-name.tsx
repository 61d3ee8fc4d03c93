/** A member's glyph, colour and name. */
import {
  type MemberState,
  memberStyle,
  type MemberStyle,
  memberStyles,
  type MemberStyles,
} from "../../transcript/index.ts";
import { useHead } from "../store/use-store.ts";

const NOBODY: MemberStyles = new Map();

export function useMemberStyle(name: string): MemberStyle {
  return memberStyle(useHead(memberStyles) ?? NOBODY, name);
}

export function MemberName({ name }: { name: string }) {
  const { hue, glyph } = useMemberStyle(name);
  return (
    <span className="speaker" data-hue={hue}>
      <span className="glyph" aria-hidden="true">
        {glyph}
      </span>
      {name}
    </span>
  );
}

/** Label of a member's state; empty when idle. */
export function stateLabel({ muted, state, lastOutcome, compacting }: MemberState): string {
  if (muted) return "muted";
  if (compacting !== undefined && state !== "running") return "compacting";
  if (state !== "idle") return state;
  if (lastOutcome === "errored") return "failed";
  return lastOutcome === "timed_out" ? "timed out" : "";
}
