/** Who: glyph, colour and name together. */
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

// What a member does, in a word.

/** Empty for one that has nothing to do, which need not be said everywhere. */
export function stateLabel({ muted, state, lastOutcome, compacting }: MemberState): string {
  if (muted) return "muted";
  if (compacting !== undefined && state !== "running") return "compacting";
  if (state !== "idle") return state;
  if (lastOutcome === "errored") return "failed";
  return lastOutcome === "timed_out" ? "timed out" : "";
}
